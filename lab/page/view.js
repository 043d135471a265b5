// The picture: camera, panels side by side in one canvas, solids, contacts, the spring of a pull.
const camera = { target: [0, 0, 0], yaw: -1, pitch: 0.4, distance: 3, fov: 0.8, eye: [0, 0, 0] };
const bounds = { centre: [0, 0, 0], radius: 1, lo: [-1, -1, 0] };
const BACKGROUNDS = { light: [0.945, 0.957, 0.970], dark: [0.102, 0.122, 0.153] }, PULL_COLOUR = hexColour("#0a7d62");
let view = by("view"), renderer = null, bodySize = 0.1, bodyColour = [], planes = [], newtons = 0.01, startPose = [0, 0, 0], ghost = null;
let shownPanels = [];
const stage = by("stage");
const theme = () => document.documentElement.dataset.theme;
const BACKGROUND = () => BACKGROUNDS[theme()] || BACKGROUNDS.light;

function makeRenderer() {
  if (renderer && renderer.many === manyBodies) { renderer.addMeshes(about.meshes); return; }
  if (renderer) {                                                      // crowds are drawn by another kind of context
    const fresh = view.cloneNode();
    renderer.gl.getExtension("WEBGL_lose_context")?.loseContext();
    view.replaceWith(fresh);
    view = fresh;
    listenToView();
  }
  try { renderer = createRenderer(view, manyBodies, about.meshes); } catch (e) { renderer = null; console.warn("no picture: " + e.message); }
  if (renderer) renderer.many = manyBodies;
}

// After a scene is opened: sizes, colours, and where the camera starts.
function measureScene() {
  manyBodies = about.bodies.length >= MANY_BODIES;
  for (const s of about.shapes) { s.reach = reachOf(s); s.smooth = s.kind === "mesh" && about.meshes.find(m => m.id === s.mesh).smooth === 1; }
  const moving = about.shapes.filter(s => s.body > 0), sizes = moving.map(s => s.reach).filter(x => x > 0).sort((a, b) => a - b);
  bodySize = sizes.length ? sizes[Math.floor(0.75 * (sizes.length - 1))] : 0.1;
  bodyColour = colourBodies(about.bodies, manyBodies);
  planes = about.shapes.filter(s => s.kind === "halfspace");
  const trees = new Map();
  for (const b of about.bodies) trees.set(b.root, (trees.get(b.root) || 0) + b.mass);
  const masses = [...trees.values()].sort((a, b) => a - b), mass = masses.length ? masses[Math.floor(masses.length / 2)] : 1;
  newtons = 1.5 * bodySize / Math.max(1e-9, 9.81 * mass / 3);        // a third of a tree's weight is one and a half bodies long
  makeRenderer();
}
function fitScene() {
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], p = lab.panels[0].poses;
  const grow = (at, r) => { for (let k = 0; k < 3; ++k) { lo[k] = Math.min(lo[k], at[k] - r); hi[k] = Math.max(hi[k], at[k] + r); } };
  for (const s of about.shapes) {
    if (s.kind === "halfspace") continue;
    if (s.body > 0) { const o = 7 * (s.body - 1); grow(vec.add([p[o], p[o + 1], p[o + 2]], turn([p[o + 3], p[o + 4], p[o + 5], p[o + 6]], s.p)), s.reach); }
    else if (s.reach < 40 * bodySize) grow(s.p, s.reach);
  }
  if (!isFinite(lo[0])) { lo.fill(-1); hi.fill(1); }
  Object.assign(bounds, { lo, hi, centre: [0, 1, 2].map(k => (lo[k] + hi[k]) / 2), radius: Math.max(vec.len(vec.sub(hi, lo)) / 2, 1e-3) });
}
function resetView() {
  const c = about.camera;
  camera.fov = c.fov * Math.PI / 180;
  lab.follow = c.follow > 0 || Boolean(lab.trot) || (!lab.custom && (SPECIAL.get(lab.scene) || {}).follow === "1");
  if (c.eye) {
    const d = vec.sub(c.eye, c.target);
    camera.target = c.target.slice();
    camera.distance = vec.len(d);
    camera.yaw = Math.atan2(d[1], d[0]);
    camera.pitch = Math.asin(d[2] / camera.distance);
  } else {
    camera.target = bounds.centre.slice();
    camera.yaw = -1.05; camera.pitch = 0.38;
    camera.distance = 1.25 * bounds.radius / Math.tan(camera.fov / 2) + bodySize;
  }
  lab.dirty = true;
  lab.seenFrom = { yaw: camera.yaw, pitch: camera.pitch, distance: camera.distance, follow: lab.follow };
}
const followed = () => about.camera.follow > 0 ? about.camera.follow - 1 : 0;
// All panels look at the same place, the mean of where the body is in each, so that they can be compared.
function followOffset() {
  const o = 7 * followed(), list = lab.panels.filter(p => !p.stopped && p.poses && p.poses.length >= o + 3);
  if (!lab.follow || !list.length) return [0, 0, 0];
  return [0, 1].map(k => list.reduce((sum, p) => sum + p.poses[o + k], 0) / list.length - startPose[k]).concat(0);
}

const ratio = () => Math.min(2, window.devicePixelRatio || 1) * (lab.playing ? lab.quality : 1);
function layout() {
  const W = stage.clientWidth, H = stage.clientHeight, n = lab.panels.length;
  let best = null;
  for (let cols = 1; cols <= n; ++cols) {
    const rows = Math.ceil(n / cols), w = W / cols, h = H / rows, size = Math.min(w / 1.25, h);
    if (!best || size > best.size * 1.02) best = { cols, size, w, h };
  }
  return lab.panels.map((panel, i) => ({ panel, rect: [Math.floor(i % best.cols * best.w), Math.floor(Math.floor(i / best.cols) * best.h), Math.ceil(best.w), Math.ceil(best.h)] }));
}

const bodyOfCollider = i => about.colliders[i] ? about.colliders[i][2] : 0;
const signOf = c => bodyOfCollider(c.b) > 0 ? 1 : -1;
function forceOf(c) {
  const s = signOf(c) / c.run.about.dt, [t1, t2, n] = c.frame, l = c.lambda;
  return [0, 1, 2].map(k => s * (t1[k] * l[0] + t2[k] * l[1] + n[k] * l[2]));
}
const sameContact = (c, d) => c.a === d.a && c.b === d.b && c.feature === d.feature;

function addBodies(panel) {
  const p = panel.poses;
  for (const s of about.shapes) {
    if (s.kind === "halfspace") continue;
    if (s.body === 0) { addShape(s.c && s.c[3] < 1 ? ghostLists : solidLists, s, 0, 0, 0, 0, 0, 0, 1, s.c ? s.c : STATIC_COLOUR, s.c ? s.c[3] : 1); continue; }
    const o = 7 * (s.body - 1), chosen = lab.body && lab.body.body === s.body, own = s.c ? s.c : bodyColour[s.body - 1], clear = s.c && s.c[3] < 1;
    addShape(clear ? ghostLists : solidLists, s, p[o], p[o + 1], p[o + 2], p[o + 3], p[o + 4], p[o + 5], p[o + 6], chosen ? mixColour(own, [1, 0.85, 0.25], 0.45) : own, clear ? s.c[3] : 1);
    if (lab.show.frames && !manyBodies) for (let k = 0; k < 3; ++k) {
      const at = [p[o], p[o + 1], p[o + 2]], q = [p[o + 3], p[o + 4], p[o + 5], p[o + 6]];
      addArrow(markLists, at, vec.add(at, vec.mul(0.9 * bodySize, turn(q, [k === 0, k === 1, k === 2].map(Number)))), 0.02 * bodySize, AXES[k]);
    }
  }
}

// The spring of a pull: from the body to the pointer; its force as an arrow from the body.
function addPull(panel, pixel) {
  const force = panel.stats.pull, n = vec.len(force);
  if (!lab.hold || lab.hold.kind !== "pull") return;
  const from = lab.playing || n > 0 ? panel.stats.held : lab.hold.point, to = lab.hold.target, d = vec.sub(to, from), length = vec.len(d);
  const turns = 14, side = length > 1e-9 ? quatZTo(vec.mul(1 / length, d)) : [0, 0, 0, 1], coil = (i) => {
    const a = i / turns, r = i === 0 || i === turns ? 0 : 5 * pixel;
    return vec.add(vec.add(from, vec.mul(a, d)), turn(side, [r * (i % 2 ? 1 : -1), 0, 0]));
  };
  for (let i = 0; i < turns && length > 4 * pixel; ++i) addArrow2(coil(i), coil(i + 1), 1.1 * pixel);
  markLists.add("dot", ...to, 5 * pixel, 0, 0, 0, 1, 0, 0, 0, 0, ...PULL_COLOUR, 1);
  if (n > 0) addArrow(markLists, from, vec.add(from, vec.mul(Math.min(n * newtons, 2 * bodySize, 0.2 * camera.distance) / n, force)), 2.4 * pixel, PULL_COLOUR);
}
function addArrow2(from, to, width) {
  const d = vec.sub(to, from), length = vec.len(d);
  if (length > 1e-9) markLists.add("shaft", ...vec.add(from, vec.mul(0.5, d)), width, ...quatZTo(vec.mul(1 / length, d)), 0, 0, length / 2, 0, ...PULL_COLOUR, 1);
}

function drawPanel(p) {
  const k = ratio(), [x, y, w, h] = p.rect, H = stage.clientHeight, panel = p.panel;
  const rect = [Math.round(x * k), Math.round((H - y - h) * k), Math.round(w * k), Math.round(h * k)];
  const v = cameraView(camera, vec.add(camera.target, followOffset()), rect, k, bounds.radius);
  v.background = BACKGROUND();
  v.reach = Math.min(bounds.radius * 1.6, camera.distance * 1.6) + bodySize;
  v.centre = bounds.radius * 1.6 < camera.distance && !lab.follow ? bounds.centre : v.target;
  farScale = rect[3] / (2 * Math.tan(camera.fov / 2));
  farEye = crowd.eye = v.eye;
  crowd.seen.n = crowd.shade.n = 0;
  crowd.fine = 6 / farScale;
  solidLists.clear(); ghostLists.clear(); markLists.clear(); glassLists.clear();
  p.view = v;
  addBodies(panel);
  const selected = lab.picked;
  for (const c of panel.contacts) {
    const chosen = selected && sameContact(c, selected);
    if (chosen || lab.show.contacts || lab.show.forces || lab.show.cones) addContactMarks(c, chosen, forceOf(c), signOf(c), lab.show, v.pixel, newtons, bodySize);
  }
  addPull(panel, v.pixel);
  if (ghost) solidLists.add("box", ...ghost.at, 0, 0, 0, 0, 1, ghost.side / 2, ghost.side / 2, ghost.side / 2, 1, ...PULL_COLOUR, 0.5);
  renderer.theme(theme() === "dark");
  const flat = manyBodies && planes.length === 1 ? flatten(planes[0].p, turn(planes[0].q, [0, 0, 1])) : null;
  renderer.panel(v, { solids: solidLists.lists, ghosts: ghostLists.lists, marks: markLists.lists, glass: glassLists.lists, lines: [],
    grounds: groundsAt({ target: v.target, eye: v.eye, distance: camera.distance }, planes, bounds, about.shapes.some(s => s.body === 0)), shadows: lab.show.shadows, flatten: flat });
}

function draw() {
  shownPanels = lab.panels.length && lab.panels[0].poses ? layout() : [];
  if (renderer && stage.clientWidth > 0) {
    const w = Math.round(stage.clientWidth * ratio()), h = Math.round(stage.clientHeight * ratio());
    if (view.width !== w || view.height !== h) { view.width = w; view.height = h; }
    renderer.clear(BACKGROUND());
    shownPanels.forEach(drawPanel);
  }
  drawForceLabels();
}

const projected = (p, point) => { const s = mat.point(p.view.matrix, point); return s[3] > 0 ? [p.rect[0] + (s[0] + 1) / 2 * p.rect[2], p.rect[1] + (1 - s[1]) / 2 * p.rect[3]] : null; };
function drawForceLabels() {
  const holder = by("forces"), list = lab.hold && lab.hold.kind === "pull" ? shownPanels : [];
  while (holder.children.length > list.length) holder.lastChild.remove();
  list.forEach((p, i) => {
    const at = p.view && projected(p, lab.hold.target), e = holder.children[i] || holder.appendChild(element("div", "force"));
    e.hidden = !at;
    if (at) { e.style.left = at[0] + "px"; e.style.top = at[1] + "px"; e.textContent = show(vec.len(p.panel.stats.pull)) + " N"; }
  });
}
