// From a run at a time to what is drawn: solids, ground, trails, contacts, forces, cones, frames, centres of mass.
const MANY_BODIES = 200;
const manyBodies = about.bodies.length > MANY_BODIES;
const isDark = () => document.documentElement.dataset.theme === "dark";
const background = () => isDark() ? [0.102, 0.122, 0.153] : [0.945, 0.957, 0.970];

const solverColours = (() => {
  const used = {};
  return runs.map(r => {
    const family = FAMILIES[r.about.model.toUpperCase()] || FAMILIES.NCP, k = used[r.about.model] = (used[r.about.model] || 0) + 1;
    return r.number === about.reference ? "#2b3442" : family[(k - 1) % family.length];
  });
})();

const familyOf = run => run.about.model;
// Whether more than one contact in a thousand breaks a law in a run.
const breaks = (run, law) => run.about.summary.contacts > 0 && run.about.summary.broken[law] > 0.001 * run.about.summary.contacts;

for (const s of about.shapes) s.reach = reachOf(s);
for (const s of about.shapes) s.smooth = s.kind === "mesh" && about.meshes.find(m => m.id === s.mesh).smooth === 1;
const movingShapes = about.shapes.filter(s => s.body > 0);
const bodySize = (() => {
  const sizes = movingShapes.map(reachOf).filter(x => x > 0).sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(0.75 * (sizes.length - 1))] : 0.1;
})();

// How far a tree reaches about its first body, roughly: its shapes at the start.
const treeReaches = new Map();
function treeReach(root) {
  if (!treeReaches.has(root)) {
    const p = new Float32Array(7), q = new Float32Array(7);
    let reach = 0;
    poseAtFrame(runs[0], root, 0, p, 0);
    for (const s of movingShapes) {
      if (about.bodies[s.body - 1].root !== root + 1) continue;
      poseAtFrame(runs[0], s.body - 1, 0, q, 0);
      reach = Math.max(reach, Math.hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]) + vec.len(s.p) + reachOf(s));
    }
    treeReaches.set(root, reach);
  }
  return treeReaches.get(root);
}

// Where bodies go, over all runs.
const bounds = (() => {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], reach = new Float32Array(about.bodies.length);
  for (const s of movingShapes) reach[s.body - 1] = Math.max(reach[s.body - 1], vec.len(s.p) + reachOf(s));
  for (const run of runs)
    for (let b = 0; b < run.nb; ++b)
      for (let k = 0; k < 3; ++k) {
        lo[k] = Math.min(lo[k], run.box[6 * b + k] - reach[b]);
        hi[k] = Math.max(hi[k], run.box[6 * b + k] + run.box[6 * b + 3 + k] + reach[b]);
      }
  for (const s of about.shapes) {
    if (s.body > 0 || s.kind === "halfspace") continue;
    const r = reachOf(s);
    if (r > 40 * bodySize) continue;
    for (let k = 0; k < 3; ++k) { lo[k] = Math.min(lo[k], s.p[k] - r); hi[k] = Math.max(hi[k], s.p[k] + r); }
  }
  if (!isFinite(lo[0])) return { centre: [0, 0, 0], radius: 1 };
  const centre = [0, 1, 2].map(k => (lo[k] + hi[k]) / 2);
  return { lo, hi, centre, radius: Math.max(vec.len(vec.sub(hi, lo)) / 2, 1e-3) };
})();

const bodyColour = colourBodies(about.bodies, manyBodies);

// Arrows: the 90th percentile of all contact forces is one and a half times as long as a body is large.
const forceLength = (() => {
  const list = [];
  for (const run of runs) {
    const step = Math.max(1, Math.floor(run.nc / 4000));
    for (let i = 0; i < run.nc; i += step) {
      const f = Math.hypot(halfTable[run.column[9][i]], halfTable[run.column[10][i]], halfTable[run.column[11][i]]) * run.scale[0] / run.about.dt;
      if (f > 0) list.push(f);
    }
  }
  list.sort((a, b) => a - b);
  return list.length ? 1.5 * bodySize / list[Math.floor(0.9 * (list.length - 1))] : 0;
})();

// How far the trees' first bodies are from each other in two runs, at most over a few moments [m].
const apartKnown = {};
function apart(a, b) {
  const key = Math.min(a.number, b.number) + "," + Math.max(a.number, b.number);
  if (apartKnown[key] === undefined) {
    const roots = about.bodies.map((x, i) => x.up === 0 ? i : -1).filter(i => i >= 0).slice(0, 50), p = new Float32Array(7), q = new Float32Array(7);
    let most = 0;
    for (let k = 0; k <= 24; ++k)
      for (const r of roots) {
        poseAtFrame(a, r, frameAt(a, lastTime * k / 24).frame, p, 0);
        poseAtFrame(b, r, frameAt(b, lastTime * k / 24).frame, q, 0);
        most = Math.max(most, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
      }
    apartKnown[key] = most;
  }
  return apartKnown[key];
}
// Of runs in one picture, those that do not lie on top of one another: the first of each heap.
const apartRuns = list => list.filter((r, i) => list.findIndex(o => o === r || apart(o, r) < 0.03 * bodySize) === i);
// Runs to fit the view to: not those that fly off while the others stay together.
const fitRuns = (() => {
  const reference = runs[about.reference];
  if (!reference || runs.length < 3) return runs;
  const far = runs.map(r => apart(r, reference)), sorted = far.slice().sort((a, b) => a - b);
  return runs.filter((r, i) => far[i] <= Math.max(2 * bodySize, 3 * sorted[Math.floor(0.75 * (runs.length - 1))]));
})();

// On one plane, a crowd's shadows are its solids laid flat: no map of the light is needed.
const flatShadows = manyBodies ? about.shapes.filter(s => s.kind === "halfspace").slice(0, 2).map(s => flatten(s.p, turn(s.q, [0, 0, 1]))) : [];

const poseBuffer = new Float32Array(7 * Math.max(1, about.bodies.length));

function addRun(lists, run, t, tint, alpha) {
  const frame = posesAt(run, t, poseBuffer);
  for (const s of about.shapes) {
    if (s.kind === "halfspace") continue;
    if (s.body === 0) {
      if (lists === solidLists) addShape(lists, s, 0, 0, 0, 0, 0, 0, 1, s.c ? s.c : STATIC_COLOUR, alpha);
      continue;
    }
    // What is see-through keeps its own colour: it shows something else than the run, such as a recording beside it.
    const o = 7 * (s.body - 1), base = s.c ? s.c : bodyColour[s.body - 1], clear = s.c && s.c[3] < 1;
    addShape(clear ? ghostLists : lists, s, poseBuffer[o], poseBuffer[o + 1], poseBuffer[o + 2], poseBuffer[o + 3], poseBuffer[o + 4], poseBuffer[o + 5], poseBuffer[o + 6],
             tint && !clear ? (s.c ? mixColour(base, tint, 0.85) : tint) : base, clear ? alpha * s.c[3] : alpha);
  }
  return frame;
}

// The body a contact's arrow acts on is the second one, unless that is the world.
const movesB = c => bodyOfCollider[c.b] > 0;
const bodyOfCollider = about.colliders.map(c => c[2]);
const signOf = c => movesB(c) ? 1 : -1;
function forceOf(c) {
  const s = signOf(c) / c.run.about.dt, [t1, t2, n] = c.frame, l = c.lambda;
  return [0, 1, 2].map(k => s * (t1[k] * l[0] + t2[k] * l[1] + n[k] * l[2]));
}

let arrowCount = 0;

function addContacts(run, frame, pixel, selected) {
  for (let i = run.start[frame]; i < run.start[frame + 1]; ++i) {
    const c = contactAt(run, i);
    if (addContactMarks(c, selected && sameContact(c, selected), forceOf(c), signOf(c), state.show, pixel, forceLength, bodySize)) ++arrowCount;
  }
}

function addBodyMarks(pixel) {
  const roots = new Map();
  about.bodies.forEach((b, i) => {
    const o = 7 * i, p = [poseBuffer[o], poseBuffer[o + 1], poseBuffer[o + 2]], q = [poseBuffer[o + 3], poseBuffer[o + 4], poseBuffer[o + 5], poseBuffer[o + 6]];
    if (state.show.frames && i < MANY_BODIES)
      for (let k = 0; k < 3; ++k) addArrow(markLists, p, vec.add(p, vec.mul(0.9 * bodySize, turn(q, [k === 0, k === 1, k === 2].map(Number)))), 1.2 * pixel, AXES[k]);
    if (!state.show.mass) return;
    const c = vec.add(p, turn(q, b.com)), sum = roots.get(b.root) || { mass: 0, at: [0, 0, 0], n: 0 };
    sum.mass += b.mass; sum.at = vec.add(sum.at, vec.mul(b.mass, c)); ++sum.n;
    roots.set(b.root, sum);
    markLists.add("dot", ...c, 3.2 * pixel, ...q, 0, 0, 0, 2, 0.15, 0.17, 0.2, 1);
  });
  for (const s of roots.values()) {
    if (s.n < 2 || !(s.mass > 0)) continue;
    const c = vec.mul(1 / s.mass, s.at);
    markLists.add("dot", ...c, 6.5 * pixel, 0, 0, 0, 1, 0, 0, 0, 2, 0.95, 0.75, 0.1, 1);
    addArrow(markLists, c, [c[0], c[1], bounds.lo[2]], 0.9 * pixel, [0.85, 0.65, 0.1]);
  }
}

const planes = about.shapes.filter(s => s.kind === "halfspace");
const groundsFor = c => groundsAt(c, planes, bounds, about.shapes.some(s => s.body === 0));

// Trails of the first body of each tree, a few hundred points each.
function makeTrails(renderer) {
  const roots = about.bodies.map((b, i) => b.up === 0 ? i : -1).filter(i => i >= 0).slice(0, 24);
  return runs.map(run => roots.map(b => {
    const step = Math.max(1, Math.floor(run.nf / 500)), points = [], times = [], p = new Float32Array(7);
    for (let f = 0; f < run.nf; f += f + step < run.nf || f === run.nf - 1 ? step : run.nf - 1 - f) {
      poseAtFrame(run, b, f, p, 0);
      points.push([p[0], p[1], p[2]]);
      times.push(run.time[f]);
    }
    return renderer.addLine(points, times);
  }));
}
