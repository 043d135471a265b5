// Pointers on the picture: bodies are pulled, pushed and dropped; beside them the camera is turned, moved and zoomed.
const pointers = new Map();
let travelled = 0, pinch = 0;
const placeOn = e => { const r = view.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
const panelAt = (x, y) => shownPanels.find(p => p.view && x >= p.rect[0] && x <= p.rect[0] + p.rect[2] && y >= p.rect[1] && y <= p.rect[1] + p.rect[3]);
const rayAt = (p, x, y) => cameraRay(camera, p.view, x - p.rect[0], y - p.rect[1], p.rect[2], p.rect[3]);

// The body, or a place of the world, under the pointer; null: nothing.
function bodyAt(x, y) {
  const p = panelAt(x, y);
  if (!p || p.panel.stopped) return null;
  const ray = rayAt(p, x, y), e = p.panel.engine, at = e.list(ray.origin, ray.direction), found = e.x.lab_pick(at, at + 64);
  if (found < 0) return null;
  const n = e.numbers(at + 64, 6).slice();
  return { p, point: [n[0], n[1], n[2]], link: n[3], body: n[3] >= 0 ? names.links[n[3]][1] : 0, name: n[3] >= 0 ? names.links[n[3]][0] : "world", mass: n[4], tree: n[5] };
}
function contactNear(x, y, reach) {
  let best = null, near = reach;
  const p = panelAt(x, y);
  if (!p) return null;
  for (const c of p.panel.contacts) {
    const at = projected(p, c.point), d = at ? Math.hypot(at[0] - x, at[1] - y) : Infinity;
    if (d < near) { near = d; best = c; }
  }
  return best;
}
// Where the pointer is on the plane through a point that faces the camera.
function onPlane(p, point, x, y) {
  const ray = rayAt(p, x, y), n = vec.unit(vec.sub(p.view.target, p.view.eye)), t = vec.dot(vec.sub(point, ray.origin), n) / vec.dot(ray.direction, n);
  return vec.add(ray.origin, vec.mul(t, ray.direction));
}

const moves = hit => hit && hit.link >= 0 && hit.tree > 0;
function grab(hit) {
  const first = hit.p.panel.engine;
  first.x.lab_grab(hit.link, first.list(hit.point), 0, hit.mass, hit.tree);
  const at = first.list(0, 0, 0);
  first.x.lab_local(at);
  const local = Array.from(first.numbers(at, 3));
  for (const q of lab.panels) if (q.engine !== first && !q.stopped) q.engine.x.lab_grab(hit.link, q.engine.list(local), 1, hit.mass, hit.tree);
  lab.hold = { kind: "pull", p: hit.p, point: hit.point, target: hit.point.slice(), link: hit.link, name: hit.name };
  view.classList.add("holding");
}
function pullTo(target) {
  lab.hold.target = target;
  for (const q of lab.panels) if (!q.stopped) q.engine.x.lab_pull_to(q.engine.list(target));
  lab.dirty = true;
}
function letGo() {
  if (lab.hold && lab.hold.kind === "pull") for (const q of lab.panels) if (!q.stopped) q.engine.x.lab_grab(-1, q.engine.list(0, 0, 0), 0, 0, 0);
  lab.hold = null;
  view.classList.remove("holding");
  lab.dirty = lab.look = true;
}
// A push: 0.1 s of a force that alone would give the tree 1.5 m/s, away from the eye and along the ground.
function push(hit) {
  const d = vec.sub(hit.point, hit.p.view.eye), along = vec.unit([d[0], d[1], 0]), force = vec.mul(1.5 * hit.tree / 0.1, along);
  for (const q of lab.panels) if (!q.stopped) { const at = q.engine.list(hit.point, force); q.engine.x.lab_push(hit.link, at, at + 24, 0.1); }
  toast("pushed " + hit.name + " with " + show(vec.len(force)) + " N for 0.1 s");
}

const isTouch = e => e.pointerType === "touch";
function onDown(e) {
  view.setPointerCapture(e.pointerId);
  if (pointers.size === 0) travelled = 0; else { travelled = 1e3; letGo(); }
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  pinch = pointers.size === 2 ? spread() : 0;
  if (pointers.size > 1 || e.button > 0 || e.shiftKey) return;
  const [x, y] = placeOn(e), hit = bodyAt(x, y);
  if (lab.tool === "pull" && moves(hit)) grab(hit);
  else if (lab.tool === "push" && moves(hit)) { push(hit); travelled = 1e3; }
  else if (lab.tool === "drop" && hit) { dropBox(hit.point); travelled = 1e3; }
  else view.classList.add("turning");
}
const spread = () => { const [a, b] = [...pointers.values()]; return Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1])); };
function onMove(e) {
  const last = pointers.get(e.pointerId), [x, y] = placeOn(e);
  if (!last) { if (!isTouch(e)) { const hit = lab.panels.length ? bodyAt(x, y) : null; view.classList.toggle("body", Boolean(contactNear(x, y, 10)) || moves(hit)); } return; }
  const dx = e.clientX - last[0], dy = e.clientY - last[1];
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  travelled += Math.abs(dx) + Math.abs(dy);
  if (lab.hold && pointers.size === 1) { const p = shownPanels.find(q => q.panel === lab.hold.p.panel); if (p && p.view) pullTo(onPlane(p, lab.hold.point, x, y)); return; }
  if (pointers.size === 2) {
    const d = spread();
    if (pinch) zoomCamera(camera, pinch / d, bounds.radius);
    pinch = d;
    moveCamera(camera, dx / 2, dy / 2, stage.clientHeight);
  } else if (e.buttons & 6 || e.shiftKey) moveCamera(camera, dx, dy, stage.clientHeight);
  else turnCamera(camera, dx, dy);
  lab.dirty = true;
}
function onUp(e) {
  if (!pointers.delete(e.pointerId)) return;
  pinch = 0;
  view.classList.remove("turning");
  letGo();
  if (e.type !== "pointerup" || travelled >= 6) return;
  const [x, y] = placeOn(e), c = contactNear(x, y, isTouch(e) ? 24 : 13), hit = bodyAt(x, y);
  if (c) { lab.picked = lab.picked && sameContact(c, lab.picked) ? null : c; if (lab.picked) selectTab("contact"); }
  else if (moves(hit)) { lab.body = lab.body && lab.body.name === hit.name ? null : hit; showBody(); if (lab.body && lab.tab !== "laws") selectTab("settings"); }
  lab.look = true;
}
function listenToView() {
  view.addEventListener("pointerdown", onDown);
  view.addEventListener("pointermove", onMove);
  view.addEventListener("pointerup", onUp);
  view.addEventListener("pointercancel", onUp);
  view.addEventListener("wheel", e => { e.preventDefault(); zoomCamera(camera, Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.0022), bounds.radius); lab.dirty = true; }, { passive: false });
  view.addEventListener("contextmenu", e => e.preventDefault());
  view.addEventListener("webglcontextlost", e => { if (e.target === view) { e.preventDefault(); notice("The graphics were lost", "Load the page again.", true); renderer = null; } });
}
