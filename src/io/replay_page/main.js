// The page itself: state, time, camera, input. What tests and the curious need is in window.slipstick.
const by = id => document.getElementById(id);
const state = {
  time: 0, playing: false, speed: 1, overlay: false, grouped: false, follow: false,
  show: { contacts: !manyBodies, forces: !manyBodies, cones: false, frames: false, mass: false, trails: !manyBodies, shadows: true },
  on: runs.map(() => true), hover: null, pinned: null, dirty: true, fps: 0, quality: 1,
  first() { const i = this.on.indexOf(true); return i < 0 ? 0 : i; },
};
const view = by("view"), stage = by("stage"), scrub = by("scrub"), clock = by("clock"), tip = by("tip");
by("title").textContent = about.title || "Replay";
by("subtitle").textContent = runs.length > 1 ? (about.reference >= 0 ? runs.length - 1 + " solvers and the reference" : runs.length + " solvers") + ", side by side" : runs[0].solver + " \u00B7 " + runs[0].about.model;

let renderer = null, trails = [];
try { renderer = createRenderer(view, manyBodies, about.meshes.map(m => ({ ...m, bytes: blockBytes("mesh" + m.id) }))); } catch (e) { console.warn("no picture: " + e.message); }
if (renderer) trails = makeTrails(renderer);
else { by("notice").hidden = false; by("notice").textContent = "This browser gives no WebGL2, so there is no picture. The curves work."; }

// ---- camera ----------------------------------------------------------------------------------------------------
const camera = { target: [0, 0, 0], yaw: 0, pitch: 0, distance: 1, fov: about.camera.fov * Math.PI / 180, eye: [0, 0, 0] };
// What travels far is followed, in a comparison: what matters there is where the others are from the reference.
const wayOf = run => {
  const p = new Float32Array(7), q = new Float32Array(7);
  if (run.nb) { poseAtFrame(run, 0, 0, p, 0); poseAtFrame(run, 0, run.nf - 1, q, 0); }
  return [q[0] - p[0], q[1] - p[1]];
};
const ways = wayOf(runs[Math.max(0, about.reference)]), travels = Math.hypot(...ways) > 4 * bodySize;
function resetView() {
  const c = about.camera;
  state.follow = c.follow > 0 || (!c.eye && about.reference >= 0 && travels);
  showFollow();
  if (c.eye) {
    const d = vec.sub(c.eye, c.target);
    camera.target = c.target.slice();
    camera.distance = vec.len(d);
    camera.yaw = Math.atan2(d[1], d[0]);
    camera.pitch = Math.asin(d[2] / camera.distance);
  } else {
    // What travels far does so from left to right; a comparison is seen more from above.
    camera.yaw = travels ? Math.atan2(ways[1], ways[0]) - (state.follow ? 1.0 : 1.35) : -1.05;
    camera.pitch = runs.length > 1 ? 0.5 : 0.4;
    fitView();
  }
  state.dirty = true;
}
// Where the first bodies of all trees are along the runs, with their reach: [x, y, z, reach].
function fitPoints() {
  const roots = about.bodies.map((b, i) => b.up === 0 ? i : -1).filter(i => i >= 0), every = Math.ceil(roots.length / 100), list = [], p = new Float32Array(7);
  for (const run of fitRuns)
    for (let k = 0; k <= 12; ++k) {
      const { frame } = frameAt(run, lastTime * k / 12), moved = followOffset(run.time[frame]);
      for (let r = 0; r < roots.length; r += every) {
        poseAtFrame(run, roots[r], frame, p, 0);
        list.push([p[0] - moved[0], p[1] - moved[1], p[2] - moved[2], treeReach(roots[r])]);
      }
    }
  return list;
}

// The least distance from which the box of all motion is in sight, with room for the controls' edge.
function fitView() {
  const [, , w, h] = panels()[0].rect, points = fitPoints();
  const head = runs.length > 1 ? 0.78 : 0.86;                          // a panel has its name on top
  let near = 0.02 * bounds.radius, far = 20 * bounds.radius;
  if (!bounds.lo || !points.length) { camera.target = bounds.centre.slice(); camera.distance = 3; return; }
  camera.target = [0, 1, 2].map(k => {                                // the middle, or of a crowd where most are
    const x = points.map(q => q[k]).sort((a, b) => a - b), cut = manyBodies ? Math.floor(0.04 * x.length) : 0;
    return (x[cut] + x[x.length - 1 - cut]) / 2;
  });
  for (let i = 0; i < 30; ++i) {
    camera.distance = Math.sqrt(near * far);
    const v = viewFor([0, 0, Math.max(1, w), Math.max(1, h)], true);
    let out = -0.04 * points.length * (manyBodies ? 1 : 0);          // of a crowd a few may roll away
    for (const p of points) {
      const s = mat.point(v.matrix, p), air = 0.85 * p[3] / (s[3] * Math.tan(camera.fov / 2));
      if (s[3] <= p[3] || Math.abs(s[0]) + air * h / w > 0.94 || s[1] + air > head || -s[1] + air > 0.97) ++out;
    }
    if (out > 0) near = camera.distance; else far = camera.distance;
  }
  camera.distance = far;
}
const followPose = new Float32Array(7);
function followOffset(time) {
  const body = about.camera.follow > 0 ? about.camera.follow - 1 : 0, run = runs[about.reference >= 0 ? about.reference : state.first()];
  if (!state.follow || body >= run.nb) return [0, 0, 0];
  const { frame, part } = frameAt(run, time);
  poseAtFrame(run, body, frame, followPose, 0);
  const p = [followPose[0], followPose[1], followPose[2]];
  if (part > 0) { poseAtFrame(run, body, frame + 1, followPose, 0); for (let k = 0; k < 3; ++k) p[k] += part * (followPose[k] - p[k]); }
  poseAtFrame(run, body, 0, followPose, 0);
  return [p[0] - followPose[0], p[1] - followPose[1], 0];
}
function viewFor(rect, still) {
  return cameraView(camera, vec.add(camera.target, still ? [0, 0, 0] : followOffset(state.time)), rect, ratio(), bounds.radius);
}
const ratio = () => Math.min(2, window.devicePixelRatio || 1) * (state.playing ? state.quality : 1);   // at rest there is time

// ---- panels ----------------------------------------------------------------------------------------------------
// Which runs are shown together, and where: [x, y, w, h] in CSS pixels from the upper left.
function panels() {
  const W = stage.clientWidth, H = stage.clientHeight, list = runs.filter(r => state.on[r.number]);
  if (list.length < 2 || state.overlay) return [{ runs: list, rect: [0, 0, W, H] }];
  const groups = state.grouped ? families(list) : list.map(r => [r]);
  let best = null;
  for (let cols = 1; cols <= groups.length; ++cols) {
    const nr = Math.ceil(groups.length / cols), w = W / cols, h = H / nr, size = Math.min(w / 1.35, h);
    if (!best || size > best.size * 1.02) best = { cols, size, w, h };
  }
  return groups.map((g, i) => ({ runs: g, rect: [Math.floor(i % best.cols * best.w), Math.floor(Math.floor(i / best.cols) * best.h), Math.ceil(best.w), Math.ceil(best.h)] }));
}
let shownPanels = [];
// Runs by their solvers' model, in the order of the first of each.
function families(list) {
  const found = new Map();
  for (const r of list) { const key = familyOf(r); if (!found.has(key)) found.set(key, []); found.get(key).push(r); }
  return [...found.values()];
}

function drawLabels() {
  const holder = by("labels");
  if (runs.length < 2) return;
  const key = JSON.stringify(shownPanels.map(p => [p.rect, p.runs.map(r => r.number)]));
  if (holder.dataset.key === key) return;
  holder.dataset.key = key;
  holder.replaceChildren(...shownPanels.filter(p => p.runs.length === 1 || state.grouped && !state.overlay).map(p => {
    const box = element("div"), run = p.runs[0], laws = ["Signorini", "Coulomb", "max. dissipation"], one = p.runs.length === 1;
    const broken = laws.filter((_, k) => p.runs.some(r => breaks(r, k)));
    Object.assign(box.style, { left: p.rect[0] + "px", top: p.rect[1] + "px", width: p.rect[2] + "px", height: p.rect[3] + "px" });
    for (const r of apartRuns(p.runs)) { const dot = element("i"); dot.style.background = solverColours[r.number]; box.append(dot); }
    box.append(one ? run.solver : familyOf(run));
    if (!one && p.rect[3] > 150) box.append(element("small", "names", p.runs.map(r => r.solver).join(", ")));
    if (p.rect[3] > 110) box.append(element("small", "", broken.length ? "breaks " + broken.join(", ") : "keeps all laws"));
    return box;
  }));
}

function drawPanel(p) {
  const k = ratio(), [x, y, w, h] = p.rect, H = stage.clientHeight;
  const rect = [Math.round(x * k), Math.round((H - y - h) * k), Math.round(w * k), Math.round(h * k)];
  const v = viewFor(rect), many = runs.length > 1, selected = state.pinned || state.hover, reference = about.reference >= 0 ? runs[about.reference] : null;
  v.background = background();
  v.reach = Math.min(bounds.radius * 1.25, camera.distance * 1.6) + bodySize;
  v.centre = bounds.radius * 1.25 < camera.distance * 1.6 ? bounds.centre : v.target;
  farScale = rect[3] / (2 * Math.tan(camera.fov / 2));
  farEye = v.eye;
  crowd.seen.n = crowd.shade.n = 0;
  crowd.eye = v.eye;
  crowd.fine = 6 / (rect[3] / (2 * Math.tan(camera.fov / 2)));
  solidLists.clear(); ghostLists.clear(); markLists.clear(); glassLists.clear();
  const lines = [];
  p.rectGl = rect; p.view = v;
  apartRuns(p.runs).forEach(run => {
    const tint = many ? hexColour(solverColours[run.number]) : null;
    const frame = addRun(solidLists, run, state.time, tint, 1);
    if (!manyBodies || state.show.contacts || state.show.forces || state.show.cones || selected) addContacts(run, frame, v.pixel, selected && selected.run === run ? selected : null);
    if (state.show.frames || state.show.mass) addBodyMarks(v.pixel);
    if (state.show.trails) for (const line of trails[run.number] || []) lines.push({ line, colour: [...(tint || hexColour("#0b63a5")), many ? 1 : 0.55], now: state.time, width: many ? 2.6 * k : 2 * k });
  });
  if (many && reference && !state.overlay && !p.runs.includes(reference)) {
    if (state.show.trails) for (const line of trails[about.reference]) lines.unshift({ line, colour: [0.35, 0.38, 0.43, 0.55], now: Infinity, width: 1.4 * k });
    addRun(ghostLists, reference, state.time, [0.42, 0.45, 0.5], 0.22);
  }
  const c = { target: v.target, eye: v.eye, distance: camera.distance };
  renderer.panel(v, { solids: solidLists.lists, ghosts: ghostLists.lists, marks: markLists.lists, glass: glassLists.lists, lines, grounds: groundsFor(c), shadows: state.show.shadows, flatten: flatShadows.length === 1 ? flatShadows[0] : null });
}

function draw() {
  shownPanels = panels();
  arrowCount = 0;
  if (renderer && stage.clientWidth > 0) {
    const w = Math.round(stage.clientWidth * ratio()), h = Math.round(stage.clientHeight * ratio());
    if (view.width !== w || view.height !== h) { view.width = w; view.height = h; }
    renderer.theme(isDark());
    renderer.clear(background());
    shownPanels.forEach(drawPanel);
  }
  drawLabels();
  const chosen = state.pinned || state.hover;
  drawSide(by("side"), chosen ? currentOf(chosen) : null, Boolean(state.pinned));
  drawKept();
  if (!(manyBodies && state.playing && ++plotsDue % 4)) for (const p of plots) p.draw(state.time);   // a crowd leaves little time
  scrub.value = lastTime ? state.time / lastTime : 0;
  const [now, end] = [state.time.toFixed(3), lastTime.toFixed(2)];
  clock.innerHTML = "";
  clock.append(element("b", "", now + " s"), element("span", "", " / " + end + " s"));
}

// Of very many contacts a frame has the strongest only: said where they are looked at.
function drawKept() {
  const run = runs[state.first()], { frame } = frameAt(run, state.time), kept = run.start[frame + 1] - run.start[frame], met = run.curves[CURVE.contacts][frame];
  const looked = state.show.contacts || state.show.forces || state.show.cones;
  keptNote.hidden = !(looked && kept < met);
  if (!keptNote.hidden) keptNote.textContent = "the " + kept + " strongest of " + met + " contacts";
}

// The kept contact at the present time, if it is still there.
function currentOf(c) {
  const { frame } = frameAt(c.run, state.time);
  for (let i = c.run.start[frame]; i < c.run.start[frame + 1]; ++i)
    if (c.run.column[0][i] === c.a && c.run.column[1][i] === c.b && c.run.column[2][i] === c.feature) return contactAt(c.run, i);
  return null;
}

// ---- time ------------------------------------------------------------------------------------------------------
function seek(t) { state.time = Math.min(lastTime, Math.max(0, t)); state.dirty = true; }
const PLAY = '<svg width="14" height="14" viewBox="0 0 14 14"><path d="M3 1.5v11l9-5.5z" fill="currentColor"/></svg>';
const PAUSE = '<svg width="14" height="14" viewBox="0 0 14 14"><path d="M3 2h3v10H3zM8 2h3v10H8z" fill="currentColor"/></svg>';
function setPlaying(on) {
  state.playing = on;
  if (on && state.time >= lastTime) seek(0);
  if (on) state.quality = Math.min(1, state.quality / 0.8);           // perhaps the machine has more time now
  by("play").innerHTML = on ? PAUSE : PLAY;
  by("play").setAttribute("aria-label", on ? "pause" : "play");
  state.dirty = true;
}
function stepFrames(n) {
  const run = runs[state.first()], { frame, part } = frameAt(run, state.time), at = frame + n + (n < 0 && part > 1e-3 ? 1 : 0);
  setPlaying(false);
  seek(run.time[Math.min(run.nf - 1, Math.max(0, at))]);
}
function setSpeed(change) {
  const select = by("speed");
  select.selectedIndex = Math.min(select.options.length - 1, Math.max(0, select.selectedIndex + change));
  state.speed = Number(select.value);
}

let lastNow = 0, slowFor = 0, plotsDue = 0;
function tick(now) {
  const dt = Math.min(0.25, (now - lastNow) / 1000);
  lastNow = now;
  if (state.playing) {
    state.time += dt * state.speed;
    if (state.time >= lastTime) { state.time = lastTime; setPlaying(false); }
    state.dirty = true;
    if (pointed && !pointers.size) pointAt(...pointed);               // what is under a resting mouse changes, too
    if (dt > 0) state.fps += 0.1 * (1 / dt - state.fps);
    adapt(dt);
  }
  if (state.dirty) { state.dirty = false; draw(); }
  requestAnimationFrame(tick);
}
// Where drawing is slow (no graphics card), coarser pixels rather than fewer pictures.
function adapt(dt) {
  slowFor = dt > 0.036 ? slowFor + 1 : Math.max(0, slowFor - 0.5);
  if (slowFor < 12) return;
  slowFor = 0;
  if (state.quality > 0.45) state.quality *= 0.8;
  else if (state.show.shadows && manyBodies) toggle("shadows");
}

// ---- controls --------------------------------------------------------------------------------------------------
const TOGGLES = [["contacts", "Contacts", "C"], ["forces", "Forces", "F"], ["cones", "Cones", "K"], ["frames", "Frames", "X"], ["mass", "Mass", "M"], ["trails", "Trails", "T"], ["shadows", "Shadow", "S"]];
const toggleButtons = {};
function toggle(name) {
  state.show[name] = !state.show[name];
  toggleButtons[name].setAttribute("aria-pressed", state.show[name]);
  state.dirty = true;
}
for (const [name, label, key] of TOGGLES) {
  const b = element("button", "", label);
  b.title = label + " (" + key + ")";
  b.id = "show-" + name;
  b.setAttribute("aria-pressed", state.show[name]);
  b.addEventListener("click", () => toggle(name));
  toggleButtons[name] = b;
  by("toggles").append(b);
}
function setRun(i) { state.on[i] = !state.on[i]; if (!state.on.includes(true)) state.on[i] = true; chipButtons.forEach((b, k) => b.setAttribute("aria-pressed", state.on[k])); state.dirty = true; sideKey = ""; }
const chipButtons = [];
// Side by side one by one, by model, or all in one picture. The view is fitted anew: the panels' shape changes.
function setLayout(overlay, grouped) {
  state.overlay = overlay; state.grouped = grouped;
  overlayButton.setAttribute("aria-pressed", overlay);
  groupButton.setAttribute("aria-pressed", grouped && !overlay);
  if (!about.camera.eye) fitView();
  state.dirty = true;
}
const setOverlay = on => setLayout(on, state.grouped), setGrouped = on => setLayout(false, on);
const overlayButton = element("button", "", "Overlay"), groupButton = element("button", "", "By model");
const canGroup = families(runs).length > 1 && families(runs).length < runs.length;
if (runs.length > 3) document.body.classList.add("many");
if (runs.length > 1) document.body.classList.add("several");
if (runs.length > 1) {
  runs.forEach((r, i) => {
    const b = element("button"), dot = element("i");
    b.style.setProperty("--own", solverColours[i]);
    b.append(dot, r.solver);
    b.setAttribute("aria-pressed", true);
    b.title = r.about.method;
    b.addEventListener("click", () => setRun(i));
    chipButtons.push(b);
    by("chips").append(b);
  });
  overlayButton.title = "all in one picture, or side by side (O)";
  overlayButton.id = "overlay";
  overlayButton.setAttribute("aria-pressed", false);
  overlayButton.addEventListener("click", () => setOverlay(!state.overlay));
  groupButton.title = "solvers of one model in one panel (G)";
  groupButton.id = "group";
  groupButton.addEventListener("click", () => setGrouped(state.overlay || !state.grouped));
  by("toggles").prepend(overlayButton);
  if (canGroup) by("toggles").prepend(groupButton);
}
function setTheme(name) { document.documentElement.dataset.theme = name; sideKey = ""; state.dirty = true; }
function savePicture() { draw(); view.toBlob(b => saveFile((about.title || "replay").replace(/[^\w]+/g, "_") + "-" + state.time.toFixed(3) + "s.png", "image/png", b)); }
function follow(on) {
  state.follow = on;
  if (!about.camera.eye) fitView();
  showFollow();
  state.dirty = true;
}
const showFollow = () => by("follow").setAttribute("aria-pressed", state.follow);
for (const [id, text, title, act] of [["follow", "Follow", "the camera moves along with the first body (V)", () => follow(!state.follow)], ["dark", "\u25D0", "dark or light (D)", () => setTheme(isDark() ? "light" : "dark")], ["png", "PNG", "the picture as a file (P)", savePicture]]) {
  const b = element("button", "", text);
  b.id = id; b.title = title;
  b.setAttribute("aria-label", title);
  b.addEventListener("click", act);
  by("toggles").append(b);
}
by("play").addEventListener("click", () => setPlaying(!state.playing));
by("first").addEventListener("click", () => { setPlaying(false); seek(0); });
by("back").addEventListener("click", () => stepFrames(-1));
by("ahead").addEventListener("click", () => stepFrames(1));
by("speed").addEventListener("change", () => setSpeed(0));
by("help").addEventListener("click", () => by("keys").showModal());
scrub.addEventListener("input", () => seek(scrub.value * lastTime));
for (const b of document.querySelectorAll(".tabs button"))
  b.addEventListener("click", () => selectPane(b.dataset.tab));
function selectPane(name) {
  document.body.dataset.pane = name;
  for (const b of document.querySelectorAll(".tabs button")) b.setAttribute("aria-selected", b.dataset.tab === name);
  sideKey = "";
  state.dirty = true;
}

const KEYS = {
  " ": () => setPlaying(!state.playing), ArrowLeft: e => stepFrames(e.shiftKey ? -10 : -1), ArrowRight: e => stepFrames(e.shiftKey ? 10 : 1),
  Home: () => seek(0), End: () => { setPlaying(false); seek(lastTime); }, "+": () => setSpeed(1), "=": () => setSpeed(1), "-": () => setSpeed(-1),
  o: () => { if (runs.length > 1) setOverlay(!state.overlay); }, g: () => { if (canGroup) setGrouped(state.overlay || !state.grouped); },
  r: resetView, d: () => setTheme(isDark() ? "light" : "dark"), p: savePicture, v: () => follow(!state.follow),
  "?": () => by("keys").showModal(), Escape: () => { state.pinned = null; sideKey = ""; state.dirty = true; },
};
for (const [name, , key] of TOGGLES) KEYS[key.toLowerCase()] = () => toggle(name);
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT" || by("keys").open) return;
  if (/^[1-9]$/.test(e.key) && Number(e.key) <= runs.length && runs.length > 1) { setRun(Number(e.key) - 1); return; }
  const act = KEYS[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (!act) return;
  e.preventDefault();
  act(e);
});

// ---- pointer: turn, move, zoom, pick -----------------------------------------------------------------------------
const pointers = new Map();
let moved = 0, pinch = 0, pointed = null;                            // pointed: where the mouse rests, if it does
const spread = () => { const [a, b] = [...pointers.values()]; return Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1])); };
const moveView = (dx, dy) => moveCamera(camera, dx, dy, stage.clientHeight), turnView = (dx, dy) => turnCamera(camera, dx, dy);
const zoomView = factor => zoomCamera(camera, factor, bounds.radius);

// The contact nearest to a place on the canvas, within reach of a finger.
function pick(x, y, reach = 15) {
  let best = null, near = reach;
  for (const p of shownPanels) {
    const [px, py, pw, ph] = p.rect;
    if (!p.view || x < px || y < py || x > px + pw || y > py + ph) continue;
    for (const run of p.runs) {
      const { frame } = frameAt(run, state.time);
      for (let i = run.start[frame]; i < run.start[frame + 1]; ++i) {
        const box = run.pointBox, at = [0, 1, 2].map(k => box[k] + box[3 + k] * run.column[3 + k][i] / 65535), s = mat.point(p.view.matrix, at);
        if (s[3] <= 0) continue;
        const d = Math.hypot(px + (s[0] + 1) / 2 * pw - x, py + (1 - s[1]) / 2 * ph - y);
        if (d < near) { near = d; best = { run, i }; }
      }
    }
  }
  return best ? contactAt(best.run, best.i) : null;
}
function place(e) { const r = view.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; }
function pointAt(x, y) {
  const c = pick(x, y);
  state.hover = c;
  view.classList.toggle("aim", Boolean(c));
  tip.hidden = !c;
  if (c) {
    tip.style.left = Math.min(x, stage.clientWidth - 190) + "px"; tip.style.top = Math.min(y, stage.clientHeight - 90) + "px";
    const bad = lawsOf(c).filter(l => l.broken).map(l => l.name);
    tip.textContent = STATE_WORDS[c.state] + ", " + show(vec.len(c.lambda) / c.run.about.dt) + " N" + "\n\u03BB " + c.lambda.map(v => show(v)).join("  ") + " N s\n\u03C3 " + c.sigma.map(v => show(v)).join("  ") + " m/s"
      + (bad.length ? "\nbreaks " + bad.join(", ") : "");
  }
  state.dirty = true;
}
view.addEventListener("pointerdown", e => {
  view.setPointerCapture(e.pointerId);
  if (pointers.size === 0) moved = 0;                                // a second finger never picks
  else moved = 1e3;
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  pinch = pointers.size === 2 ? spread() : 0;
  view.classList.add("turning");
});
view.addEventListener("pointermove", e => {
  const last = pointers.get(e.pointerId);
  if (!last) { if (e.pointerType !== "touch") pointAt(...pointed = place(e)); return; }
  const dx = e.clientX - last[0], dy = e.clientY - last[1];
  pointers.set(e.pointerId, [e.clientX, e.clientY]);
  moved += Math.abs(dx) + Math.abs(dy);
  if (pointers.size === 2) {
    const d = spread();
    if (pinch) zoomView(pinch / d);
    pinch = d;
    moveView(dx / 2, dy / 2);
  } else if (e.buttons & 6 || e.shiftKey) moveView(dx, dy);
  else turnView(dx, dy);
  tip.hidden = true;
  state.dirty = true;
});
function release(e) {
  if (!pointers.delete(e.pointerId)) return;
  pinch = 0;
  view.classList.toggle("turning", pointers.size > 0);
  if (e.type === "pointerup" && moved < 6) {
    const touch = e.pointerType === "touch", c = pick(...place(e), touch ? 26 : 15);
    state.pinned = c && !(state.pinned && sameContact(c, state.pinned)) ? c : null;
    state.hover = touch ? null : c;
    if (c && matchMedia("(max-width: 800px)").matches) selectPane("side");
    sideKey = "";
    state.dirty = true;
  }
}
view.addEventListener("pointerup", release);
view.addEventListener("pointercancel", release);
view.addEventListener("pointerleave", () => { pointed = null; if (!pointers.size && state.hover) { state.hover = null; tip.hidden = true; state.dirty = true; } });
view.addEventListener("wheel", e => { e.preventDefault(); zoomView(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.0022)); state.dirty = true; }, { passive: false });
view.addEventListener("contextmenu", e => e.preventDefault());
view.addEventListener("dblclick", resetView);
view.addEventListener("webglcontextlost", e => { e.preventDefault(); by("notice").hidden = false; by("notice").textContent = "The graphics were lost; load the page again."; renderer = null; });

// ---- start -----------------------------------------------------------------------------------------------------
const legendBox = by("legend"), keptNote = element("span", "kept");
keptNote.id = "kept";
legendBox.append(keptNote);
STATE_WORDS.forEach((word, i) => { const s = element("span"), dot = element("i"); dot.style.background = hexOf(STATE_COLOUR[i]); s.append(dot, word); legendBox.append(s); });
{ const s = element("span"), dot = element("i"); dot.style.background = hexOf(FORCE_COLOUR); s.append(dot, "force"); legendBox.append(s); }

const plots = plotList().map(p => createPlot(p, by("plots"), t => seek(t)));
if (!manyBodies && runs.some(r => r.nc > 0)) plots.push(createStrips(by("plots"), t => seek(t)));
by("plots").style.setProperty("--plots", plots.length);
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
new ResizeObserver(() => { state.dirty = true; sideKey = ""; }).observe(stage);
setLayout(false, canGroup && runs.length > 7);
resetView();
selectPane("plots");

// A moment can be linked to: #t=1.25&show=contacts,cones&overlay&contact=0
const wish = new URLSearchParams(location.hash.slice(1));
if (wish.has("show")) for (const [name] of TOGGLES) if (state.show[name] !== wish.get("show").split(",").includes(name)) toggle(name);
if (wish.get("theme") === "dark" || wish.get("theme") === "light") setTheme(wish.get("theme"));
if (wish.has("overlay") && runs.length > 1) setOverlay(true);
if (wish.has("panels")) setGrouped(wish.get("panels") === "model" && canGroup);
if (wish.has("yaw")) camera.yaw = Number(wish.get("yaw"));
if (wish.has("pitch")) camera.pitch = Number(wish.get("pitch"));
if (wish.has("zoom")) zoomView(1 / Number(wish.get("zoom")));
if (wish.has("t")) seek(Number(wish.get("t")));
if (wish.has("contact")) { const { frame } = frameAt(runs[0], state.time), list = contactsAt(runs[0], frame); state.pinned = list[Number(wish.get("contact"))] || null; }
setPlaying(!wish.has("t") && !matchMedia("(prefers-reduced-motion: reduce)").matches);
requestAnimationFrame(tick);

window.slipstick = {
  state, about, runs, camera, seek, plots, stripsOf, tableText, contactsAt, frameAt, lastTime, forceOf, signOf, lawsOf, gl: () => renderer.gl,
  pose(run, body) { const p = new Float32Array(7 * runs[run].nb); posesAt(runs[run], state.time, p); return Array.from(p.subarray(7 * (body - 1), 7 * body)); },
  arrows: () => arrowCount, draw, panels: () => shownPanels.length, hasPicture: () => Boolean(renderer),
  // Different colours on the canvas, sampled after drawing in the same turn: 1 means it is blank.
  colours() {
    draw();
    const gl = renderer.gl, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, bytes = new Uint8Array(4 * w * h), seen = new Set();
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    let sum = 0;
    for (let i = 0; i < bytes.length; i += 4) { seen.add(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]); sum = (sum * 31 + bytes[i] + 7 * bytes[i + 1]) % 1000000007; }
    return { colours: seen.size, sum };
  },
  pick, project(run, point) { const p = shownPanels.find(q => q.runs.includes(runs[run])), s = mat.point(p.view.matrix, point); return [p.rect[0] + (s[0] + 1) / 2 * p.rect[2], p.rect[1] + (1 - s[1]) / 2 * p.rect[3]]; },
};
