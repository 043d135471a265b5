// The camera of replays and of the laboratory: it looks at a target from a distance, at a yaw and a pitch.

// A panel's view: `rect` in pixels of the canvas, of which `ratio` make one of the page; `radius` of the scene [m]. A panel
// taller than wide keeps the width in sight that a square one would have.
function cameraView(camera, target, rect, ratio, radius) {
  const cp = Math.cos(camera.pitch), aspect = rect[2] / rect[3];
  const d = [Math.cos(camera.yaw) * cp, Math.sin(camera.yaw) * cp, Math.sin(camera.pitch)], far = aspect < 1.15 ? Math.min(1.15 / aspect, 1.9) : 1;
  const eye = vec.add(target, vec.mul(camera.distance * far, d));
  const matrix = mat.mul(mat.perspective(camera.fov, aspect, camera.distance * 0.02, camera.distance * 60 + 8 * radius), mat.look(eye, target, [0, 0, 1]));
  camera.eye = eye;
  return { rect, matrix, eye, target, pixel: camera.distance * far * Math.tan(camera.fov / 2) * 2 / (rect[3] / ratio) * Math.min(1, Math.max(0.5, rect[3] / ratio / 400)) };
}

// Dragged by so many pixels of a picture so high; turned; and drawn nearer or farther.
function moveCamera(camera, dx, dy, height) {
  const s = camera.distance * Math.tan(camera.fov / 2) * 2 / height, cy = Math.cos(camera.yaw), sy = Math.sin(camera.yaw), sp = Math.sin(camera.pitch), cp = Math.cos(camera.pitch);
  const right = [-sy, cy, 0], up = [-cy * sp, -sy * sp, cp];
  camera.target = vec.add(camera.target, vec.add(vec.mul(-s * dx, right), vec.mul(s * dy, up)));
}
function turnCamera(camera, dx, dy) {
  camera.yaw -= dx * 0.007;
  camera.pitch = Math.min(1.55, Math.max(-0.5, camera.pitch + dy * 0.007));
}
function zoomCamera(camera, factor, radius) { camera.distance = Math.min(1e4 * radius, Math.max(1e-3 * radius, camera.distance * factor)); }

// The ray from the eye through a place of a panel, in pixels of it from the upper left: origin and direction.
function cameraRay(camera, view, x, y, width, height) {
  const forward = vec.unit(vec.sub(view.target, view.eye)), right = vec.unit(vec.cross(forward, [0, 0, 1])), up = vec.cross(right, forward);
  const t = Math.tan(camera.fov / 2), u = (2 * x / width - 1) * t * width / height, v = (1 - 2 * y / height) * t;
  return { origin: view.eye, direction: vec.unit(vec.add(forward, vec.add(vec.mul(u, right), vec.mul(v, up)))) };
}
