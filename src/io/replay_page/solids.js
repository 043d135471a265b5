// Solids, arrows and their colours, from shapes to lists of instances: for replays and for the laboratory. The page
// defines `about` (shapes, bodies, meshes) and `manyBodies`.
const COLOURS = ["#4878a8", "#e08a3c", "#5a9e6f", "#c8576b", "#58a5a3", "#8f6fae", "#c9a227", "#8c6d5a"].map(hexColour);
const STATE_COLOUR = [hexColour("#9aa4b1"), hexColour("#0072b2"), hexColour("#e08a00")];
const FORCE_COLOUR = hexColour("#b5123e"), SLIDE_COLOUR = hexColour("#0a7d62");

// A solver's colour comes from its model's family, so that relatives look alike.
const FAMILIES = { LCP: ["#d55e00", "#b03a00", "#f08c3a"], CCP: ["#0072b2", "#4a9fd8", "#00507d", "#7fb6dd"], RAISIM: ["#0a8f5b", "#4fb98a", "#066b43"],
  NCP: ["#7a3fa0", "#a06cc5", "#57267a", "#c49ade", "#8a5a9e", "#3f1760"], BARRIER: ["#3f8fc0"] };

// Size of things: reach of each shape about its body, and a typical one, by which arrows and marks are measured.
function reachOf(s) {
  if (s.kind === "mesh") { const m = about.meshes.find(x => x.id === s.mesh); return vec.len(m.extent) / 2; }
  return s.kind === "halfspace" ? 0 : s.kind === "box" ? vec.len(s.h) : s.kind === "ellipsoid" ? Math.max(...s.h) : s.r + s.h[2];
}

// Robots: the first body in a colour, its limbs in light and dark by turns. Single bodies: a colour each.
const colourBodies = (bodies, many) => bodies.map((b, i) => {
  const limbs = bodies.filter(o => o.root === b.root).length, roots = bodies.map(o => o.root);
  const number = many ? i : [...new Set(roots)].indexOf(b.root), own = COLOURS[number % COLOURS.length];
  if (limbs === 1) return own;
  if (b.up === 0) return own;
  let depth = 0;
  for (let k = b.up; k > 0; k = bodies[k - 1].up) ++depth;
  return depth % 2 ? hexColour("#dfe5ec") : hexColour("#55617a");
});

const solidLists = createLists(), ghostLists = createLists(), markLists = createLists(), glassLists = createLists();


// In a crowd, what is only a few pixels wide needs no round outline. `farScale` is pixels a radian.
let farScale = 0, farEye = [0, 0, 0];
function far(x, y, z, radius) {
  if (!manyBodies) return false;
  const dx = x - farEye[0], dy = y - farEye[1], dz = z - farEye[2], wide = radius * farScale / 9;
  return wide * wide < dx * dx + dy * dy + dz * dz;
}

function addShape(lists, s, px, py, pz, q0, q1, q2, q3, colour, alpha) {
  const lp = s.p, lq = s.q;
  // world = body (position, quaternion) times the shape's place on it, written out: this is the inner loop
  const tx = 2 * (q1 * lp[2] - q2 * lp[1]), ty = 2 * (q2 * lp[0] - q0 * lp[2]), tz = 2 * (q0 * lp[1] - q1 * lp[0]);
  const x = px + lp[0] + q3 * tx + q1 * tz - q2 * ty, y = py + lp[1] + q3 * ty + q2 * tx - q0 * tz, z = pz + lp[2] + q3 * tz + q0 * ty - q1 * tx;
  const a0 = q3 * lq[0] + q0 * lq[3] + q1 * lq[2] - q2 * lq[1], a1 = q3 * lq[1] - q0 * lq[2] + q1 * lq[3] + q2 * lq[0];
  const a2 = q3 * lq[2] + q0 * lq[1] - q1 * lq[0] + q2 * lq[3], a3 = q3 * lq[3] - q0 * lq[0] - q1 * lq[1] - q2 * lq[2];
  const kind = s.kind;
  if (lists === solidLists && kind !== "mesh" && far(x, y, z, 0.7 * s.reach)) addCrowd(kind, x, y, z, a0, a1, a2, a3, s.r, s.h[0], s.h[1], s.h[2], colour);
  else if (kind === "mesh") lists.add("mesh" + s.mesh, x, y, z, 0, a0, a1, a2, a3, 1, 1, 1, s.smooth ? 3 : 0, colour[0], colour[1], colour[2], alpha);
  else if (kind === "box") lists.add("box", x, y, z, 0, a0, a1, a2, a3, s.h[0], s.h[1], s.h[2], 1, colour[0], colour[1], colour[2], alpha);
  else if (kind === "cylinder") lists.add("cylinder", x, y, z, s.r, a0, a1, a2, a3, 0, 0, s.h[2], 2, colour[0], colour[1], colour[2], alpha);
  else if (kind === "ellipsoid") lists.add("ellipsoid", x, y, z, -1, a0, a1, a2, a3, s.h[0], s.h[1], s.h[2], 2, colour[0], colour[1], colour[2], alpha);
  else if (kind === "sphere") lists.add("sphere", x, y, z, s.r, a0, a1, a2, a3, 0, 0, 0, 2, colour[0], colour[1], colour[2], alpha);
  else if (kind === "capsule") lists.add("capsule", x, y, z, s.r, a0, a1, a2, a3, 0, 0, s.h[2], 0, colour[0], colour[1], colour[2], alpha);
}


const STATIC_COLOUR = hexColour("#b9c2cd");

function addArrow(lists, from, to, width, colour) {
  const d = vec.sub(to, from), length = vec.len(d);
  if (!(length > 1e-9)) return false;
  const n = vec.mul(1 / length, d), q = quatZTo(n), head = Math.min(0.45 * length, 4.2 * width), shaft = length - head;
  const m = vec.add(from, vec.mul(shaft / 2, n)), h = vec.add(from, vec.mul(shaft + head / 2, n));
  lists.add("shaft", ...m, width, ...q, 0, 0, shaft / 2, 0, ...colour, 1);
  lists.add("tip", ...h, 2.3 * width, ...q, 0, 0, head / 2, 0, ...colour, 1);
  return true;
}


const AXES = [hexColour("#c8323c"), hexColour("#2f9e44"), hexColour("#1c6fc4")];


// One contact: a dot coloured by its state, with a red rim where it breaks a law, its force as an arrow and its cone up
// to the normal force. `pixel` is the size of one, `scale` metres a newton. Whether there is an arrow.
function addContactMarks(c, chosen, force, sign, showing, pixel, scale, size) {
  const most = vec.len(force);
  let arrow = false;
  if (showing.contacts || chosen) {
    const colour = STATE_COLOUR[c.state], r = (chosen ? 7 : 4.6) * pixel;
    markLists.add("dot", ...c.point, r, 0, 0, 0, 1, 0, 0, 0, 0, ...colour, 1);
    if (c.broken && !manyBodies) markLists.add("cylinder", ...c.point, 1.7 * r, ...quatZTo(c.frame[2]), 0, 0, 0.12 * r, 0, ...FORCE_COLOUR, 0.9);
  }
  if (!most) return false;
  const along = vec.mul(Math.min(most * scale, 3 * size) / most, force);
  if (showing.forces || chosen) arrow = addArrow(markLists, c.point, vec.add(c.point, along), 1.7 * pixel, FORCE_COLOUR);
  if (showing.cones || chosen) {
    const n = vec.mul(sign, c.frame[2]), h = Math.max(vec.dot(along, n), 0), mu = Math.min(c.mu, 20);
    if (h > 0) glassLists.add("cone", ...vec.add(c.point, vec.mul(h / 2, n)), mu * h, ...quatZTo(n), 0, 0, h / 2, 0, ...STATE_COLOUR[c.state], 0.24);
  }
  return arrow;
}

// Grounds: each half-space as a plane with a grid; without any, and nothing else that is fixed, a grid alone.
function groundsAt(camera, planes, bounds, hasWorld) {
  const step = 10 ** Math.floor(Math.log10(Math.max(camera.distance, 1e-6) / 3)) ;
  const make = (p, q, solid) => {
    const x = turn(q, [1, 0, 0]), y = turn(q, [0, 1, 0]), n = turn(q, [0, 0, 1]), d = vec.sub(camera.target, p);
    const below = vec.dot(vec.sub(camera.eye, p), n) < 0;
    return { origin: p, x, y, centre: [vec.dot(d, x), vec.dot(d, y)], size: 9 * camera.distance + 2 * bounds.radius, step: step / (step > camera.distance / 6 ? 10 : 1) , solid: below ? 0.25 : solid };
  };
  if (planes.length) return planes.map(s => make(s.p, s.q, 1));
  return hasWorld ? [] : [make([0, 0, Math.min(0, bounds.lo ? bounds.lo[2] : 0)], [0, 0, 0, 1], 0)];
}
