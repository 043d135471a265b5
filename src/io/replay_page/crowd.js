// Crowds: where hundreds of bodies are only a few pixels wide, their corners are placed and lit here and sent as plain
// quads. Renderers without a graphics card take a microsecond to look up and turn one vertex; this takes nanoseconds.
// A quad is four times (x, y, z, colour): the sides that face the eye for the picture, those that face the light for
// the shadow that is laid flat on the ground.
const CROWD_VERTEX = `#version 300 es
layout(location=0) in vec3 aPlace; layout(location=1) in vec4 aColour;
uniform mat4 uView; uniform float uNearer; out mediump vec4 vColour;
void main() { vColour = aColour; gl_Position = uView*vec4(aPlace, 1.0); gl_Position.z -= uNearer*gl_Position.w; }`;
const CROWD_FRAGMENT = `#version 300 es
precision mediump float; in vec4 vColour; out vec4 colour; void main() { colour = vColour; }`;

const SKY_LOW = [0.30, 0.29, 0.30], SKY_HIGH = [0.52, 0.55, 0.60], SUN_LIGHT = [0.86, 0.83, 0.78];
const sun = vec.unit([-0.42, -0.55, 1.15]);

// A solid of few sides: corners as (round, box) like the unit meshes of gl.js, sides as four corners and a normal.
function crowdSolid(corners, sides) {
  const at = new Float32Array(corners.flat()), quad = new Uint8Array(sides.flat()), normal = new Float32Array(3 * sides.length);
  sides.forEach((s, i) => {
    const p = s.map(k => [0, 1, 2].map(a => corners[k][a] + corners[k][a + 3]));
    normal.set(vec.unit(vec.cross(vec.sub(p[2], p[0]), vec.sub(p[3], p[1]))), 3 * i);
  });
  return { corners: corners.length, sides: sides.length, at, quad, normal };
}
const crowdSolids = (() => {
  const box = [];
  for (let k = 0; k < 8; ++k) box.push([0, 0, 0, k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1]);
  // Rings of `around` corners: (radius, height in radii, end of the axis).
  const turned = (around, rings) => {
    const corners = [], sides = [];
    for (const [r, z, end] of rings)
      for (let i = 0; i < around; ++i) { const a = 2 * Math.PI * i / around; corners.push([r * Math.cos(a), r * Math.sin(a), z, 0, 0, end]); }
    for (let j = 0; j + 1 < rings.length; ++j)
      for (let i = 0; i < around; ++i) { const k = (i + 1) % around; sides.push([j * around + i, j * around + k, (j + 1) * around + k, (j + 1) * around + i]); }
    return { list: corners, sides };
  };
  const prism = turned(6, [[1.05, 0, -1], [1.05, 0, 1]]), lids = [[9, 6, 7, 8], [6, 9, 10, 11], [0, 3, 2, 1], [3, 0, 5, 4]];
  const egg = turned(5, [[0.75, -0.75, 0], [1.08, 0, 0], [0.75, 0.75, 0]]), ends = [[10, 11, 12, 13], [10, 13, 14, 14], [0, 3, 2, 1], [0, 4, 4, 3]];
  return { ellipsoid: crowdSolid(egg.list.map(c => [0, 0, 0, c[0], c[1], c[2]]), [...egg.sides, ...ends]),
    box: crowdSolid(box, [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]]),
    cylinder: crowdSolid(prism.list, [...prism.sides, ...lids]) };
})();

// Quads that grow; colours share the memory of the places.
function createQuads() {
  const q = { n: 0, room: 0, place: null, colour: null };
  q.reserve = more => {
    if (q.n + more <= q.room) return;
    const old = q.place;
    q.room = Math.max(1024, 2 * (q.n + more));
    q.place = new Float32Array(16 * q.room);
    q.colour = new Uint32Array(q.place.buffer);
    if (old) q.place.set(old);
  };
  return q;
}
const crowd = { seen: createQuads(), shade: createQuads(), eye: [0, 0, 0], fine: 0 };         // fine: what has 6 pixels, in radians

const crowdCorner = new Float32Array(3 * 16);

// The colour of a side with this normal under sky and sun, as the solids' shader has it but for the shine.
function litColour(colour, nx, ny, nz) {
  const up = 0.5 + 0.5 * nz, sunny = Math.max(0, nx * sun[0] + ny * sun[1] + nz * sun[2]);
  const red = 255 * colour[0] * Math.sqrt(SKY_LOW[0] + up * (SKY_HIGH[0] - SKY_LOW[0]) + sunny * SUN_LIGHT[0]);
  const green = 255 * colour[1] * Math.sqrt(SKY_LOW[1] + up * (SKY_HIGH[1] - SKY_LOW[1]) + sunny * SUN_LIGHT[1]);
  const blue = 255 * colour[2] * Math.sqrt(SKY_LOW[2] + up * (SKY_HIGH[2] - SKY_LOW[2]) + sunny * SUN_LIGHT[2]);
  return (0xff000000 | (blue > 255 ? 255 : blue) << 16 | (green > 255 ? 255 : green) << 8 | (red > 255 ? 255 : red)) >>> 0;
}

// Round things need no sides: their outline as seen from (wx, wy, wz) is a polygon of six corners (or eight), drawn out
// along the axis (ax, ay, az).
function addOutline(q, corners, x, y, z, wx, wy, wz, ax, ay, az, radius, colour) {
  const { at, quads } = corners, n = at.length / 2;
  let sx = wy * az - wz * ay, sy = wz * ax - wx * az, sz = wx * ay - wy * ax, l = Math.hypot(sx, sy, sz);
  if (l < 1e-9) { sx = wz === 1 ? 1 : -wy; sy = wz === 1 ? 0 : wx; sz = 0; l = Math.hypot(sx, sy, sz); }
  sx /= l; sy /= l; sz /= l;
  const ux = sy * wz - sz * wy, uy = sz * wx - sx * wz, uz = sx * wy - sy * wx;      // along the axis, across the sight
  q.reserve(quads.length / 4);
  for (let k = 0; k < n; ++k) {
    const c = at[2 * k], s = at[2 * k + 1], end = 2 * k < n ? 1 : -1, o = 3 * k;
    const dx = c * sx + s * ux, dy = c * sy + s * uy, dz = c * sz + s * uz;
    crowdCorner[o] = x + end * ax + radius * dx; crowdCorner[o + 1] = y + end * ay + radius * dy; crowdCorner[o + 2] = z + end * az + radius * dz;
    if (colour) { const m = 1 / Math.hypot(dx + wx, dy + wy, dz + wz); cornerColour[k] = litColour(colour, m * (dx + wx), m * (dy + wy), m * (dz + wz)); }
  }
  for (let i = 0; i < quads.length; i += 4) putQuad(q, quads, i, colour ? cornerColour : null);
}
const outlineOf = (n, quads) => ({ at: Array.from({ length: 2 * n }, (_, i) => (n < 8 ? 1.1 : 1.05) * (i & 1 ? Math.sin : Math.cos)(2 * Math.PI * ((i >> 1) + 0.5) / n)),
  quads: new Uint8Array(quads) });
const OCTAGON = outlineOf(8, [0, 1, 2, 3, 0, 3, 4, 7, 4, 5, 6, 7]), HEXAGON = outlineOf(6, [0, 1, 2, 3, 0, 3, 4, 5]);
const cornerColour = new Uint32Array(16), SHADE_COLOUR = 0xffb9aca3;
function addRound(x, y, z, ax, ay, az, radius, colour) {
  const wx = crowd.eye[0] - x, wy = crowd.eye[1] - y, wz = crowd.eye[2] - z, w = 1 / Math.hypot(wx, wy, wz);
  addOutline(crowd.seen, radius * w < crowd.fine ? HEXAGON : OCTAGON, x, y, z, w * wx, w * wy, w * wz, ax, ay, az, radius, colour);
  addOutline(crowd.shade, HEXAGON, x, y, z, sun[0], sun[1], sun[2], ax, ay, az, radius, null);
}

function addCrowd(kind, x, y, z, q0, q1, q2, q3, radius, hx, hy, hz, colour) {
  const xx = 1 - 2 * (q1 * q1 + q2 * q2), xy = 2 * (q0 * q1 - q2 * q3), xz = 2 * (q0 * q2 + q1 * q3);
  const yx = 2 * (q0 * q1 + q2 * q3), yy = 1 - 2 * (q0 * q0 + q2 * q2), yz = 2 * (q1 * q2 - q0 * q3);
  const zx = 2 * (q0 * q2 - q1 * q3), zy = 2 * (q1 * q2 + q0 * q3), zz = 1 - 2 * (q0 * q0 + q1 * q1);
  if (kind === "sphere") { addRound(x, y, z, 0, 0, 0, radius, colour); return; }
  if (kind === "capsule") { addRound(x, y, z, hz * xz, hz * yz, hz * zz, radius, colour); return; }
  const solid = crowdSolids[kind], at = solid.at, quad = solid.quad, normal = solid.normal, p = crowdCorner;
  for (let i = 0, o = 0; i < solid.corners; ++i, o += 6) {
    const a = at[o] * radius + at[o + 3] * hx, b = at[o + 1] * radius + at[o + 4] * hy, c = at[o + 2] * radius + at[o + 5] * hz;
    p[3 * i] = x + xx * a + xy * b + xz * c;
    p[3 * i + 1] = y + yx * a + yy * b + yz * c;
    p[3 * i + 2] = z + zx * a + zy * b + zz * c;
  }
  crowd.seen.reserve(solid.sides);
  crowd.shade.reserve(solid.sides);
  for (let s = 0; s < solid.sides; ++s) {
    let a = normal[3 * s], b = normal[3 * s + 1], c = normal[3 * s + 2];
    const k = 3 * quad[4 * s + 1];
    if (kind === "ellipsoid") { a /= hx; b /= hy; c /= hz; const l = 1 / Math.hypot(a, b, c); a *= l; b *= l; c *= l; }
    const nx = xx * a + xy * b + xz * c, ny = yx * a + yy * b + yz * c, nz = zx * a + zy * b + zz * c;
    if (nx * sun[0] + ny * sun[1] + nz * sun[2] > 0) putQuad(crowd.shade, quad, 4 * s, null);
    if (nx * (crowd.eye[0] - p[k]) + ny * (crowd.eye[1] - p[k + 1]) + nz * (crowd.eye[2] - p[k + 2]) <= 0) continue;
    cornerColour.fill(litColour(colour, nx, ny, nz));
    putQuad(crowd.seen, quad, 4 * s, cornerColour);
  }
}
// Four of the corners worked out before, with a colour each (null: a shadow's).
function putQuad(q, quad, first, colours) {
  const p = crowdCorner, place = q.place, hue = q.colour;
  let o = 16 * q.n++;
  for (let k = 0; k < 4; ++k, o += 4) {
    const i = quad[first + k], c = 3 * i;
    place[o] = p[c]; place[o + 1] = p[c + 1]; place[o + 2] = p[c + 2]; hue[o + 3] = colours ? colours[i] : SHADE_COLOUR;
  }
}

// Drawing them: one buffer each, one call each. `flatten` lays a point on a plane along the light.
function flatten(point, n) {
  const s = 1 / vec.dot(n, sun), c = new Float32Array(16), d = vec.dot(n, point);
  for (let j = 0; j < 3; ++j) { for (let i = 0; i < 3; ++i) c[4 * j + i] = (i === j ? 1 : 0) - s * sun[i] * n[j]; c[12 + j] = s * sun[j] * d; }
  c[15] = 1;
  return c;
}
function createCrowdRenderer(gl, program) {
  const { p, at } = program(CROWD_VERTEX, CROWD_FRAGMENT), index = gl.createBuffer();
  let quads = 0;
  const buffers = [crowd.seen, crowd.shade].map(list => {
    const vao = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 16, 0);
    gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 16, 12);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, index);
    gl.bindVertexArray(null);
    return { list, vao, buffer, room: 0 };
  });
  function draw(k, matrix, nearer) {
    const b = buffers[k], n = b.list.n;
    if (!n) return;
    gl.useProgram(p);
    gl.bindVertexArray(b.vao);
    if (n > quads) {
      quads = 2 * n;
      const all = new Uint32Array(6 * quads);
      for (let i = 0; i < quads; ++i) all.set([4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3], 6 * i);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, b.buffer);
    if (n > b.room) { b.room = b.list.room; gl.bufferData(gl.ARRAY_BUFFER, 64 * b.room, gl.DYNAMIC_DRAW); }
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, b.list.place, 0, 16 * n);
    gl.uniformMatrix4fv(at.uView, false, matrix);
    gl.uniform1f(at.uNearer, nearer);
    gl.drawElements(gl.TRIANGLES, 6 * n, gl.UNSIGNED_INT, 0);
  }
  return { solids: matrix => draw(0, matrix, 0), shadows: matrix => draw(1, matrix, 0.0004) };
}
