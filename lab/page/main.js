// The page itself: opening scenes, running panels in step with the clock, keys, buttons, the start.
const toastBox = by("toast");
let toastTimer = 0;
function toast(text) { toastBox.textContent = text; toastBox.hidden = false; clearTimeout(toastTimer); toastTimer = setTimeout(() => { toastBox.hidden = true; }, 3500); }
function notice(title, text, bad) {
  const box = by("notice"), close = element("button", "", "Close");
  close.addEventListener("click", () => { box.hidden = true; });
  box.className = bad ? "bad" : "";
  box.replaceChildren(element("b", "", title), element("pre", "", text), close);
  box.hidden = false;
}
async function copyText(text, said) {
  try { await navigator.clipboard.writeText(text); toast(said); } catch (e) { notice("Copy this", text); }
}

// ---- opening ------------------------------------------------------------------------------------------------------------
// The scene's text with the boxes that were dropped into it.
function sceneText() {
  const boxes = lab.drops.map(([x, y, z, side], i) => `<body name="dropped_${i + 1}" density="400"><origin xyz="${x} ${y} ${z}"/><geometry><box size="${side} ${side} ${side}"/></geometry></body>`).join("\n");
  return boxes ? lab.text.replace(/<\/scene>\s*$/, boxes + "\n</scene>\n") : lab.text;
}
// The files that a world is made of. A scene from the disk may name a robot of ours.
function allFiles() {
  if (!lab.custom) return lab.files;
  const known = new Set(lab.files.map(f => f[0]));
  return [...lab.files, ...modelFiles().map(([path, data]) => [path.replace(/^models\//, ""), data]).filter(f => !known.has(f[0]))];
}
function openPanel(panel) {
  const e = new Engine(), links = [...lab.links].map(([name, f]) => [names.links.findIndex(l => l[0] === name), f]).filter(l => l[0] >= 0);
  e.open([...allFiles().filter(f => f[0] !== lab.path), [lab.path, new TextEncoder().encode(sceneText())]], lab.path, { ...lab.settings, solver: panel.choice, trot: lab.trot, links });
  e.x.lab_record(1);
  panel.engine = e;
  panel.stopped = "";
  panel.diverging = 0;
}
const lookAt = panel => { panel.look(lab.mostContacts || 400); panel.about = { model: (panel.solver() || {}).model || "NCP", dt: panel.engine.x.lab_get(SET.dt), facets: 4 }; };

// Makes all panels anew from the files at hand. Throws the library's message.
function build(choices, keepView) {
  const panels = choices.map((choice, i) => new Panel(i, choice));
  names = { links: [], joints: [] };
  if (lab.links.size) {                                                // factors on links are by name
    const probe = new Panel(0, "scene"), links = lab.links;
    lab.links = new Map();
    try { openPanel(probe); names = probe.engine.describe().names; } finally { lab.links = links; }
  }
  panels.forEach(openPanel);
  const said = panels[0].engine.describe();
  about = said.about;
  names = said.names;
  lab.panels = panels;
  lab.picked = lab.body = lab.hold = null;
  lab.mostContacts = about.bodies.length >= MANY_BODIES ? 256 : 400;
  if (about.bodies.length >= MANY_BODIES && !keepView) Object.assign(lab.show, { contacts: false, forces: false });
  measureScene();
  panels.forEach(lookAt);
  startPose = Array.from(panels[0].poses.subarray(7 * followed(), 7 * followed() + 3));
  lab.floor = panels[0].stats.potential;
  fitScene();
  if (!keepView) resetView();
  buildHeads();
  showSettings(); showBody(); showWalk();
  showToggles();
  by("about").textContent = about.about || "";
  by("counts").querySelectorAll("button").forEach(b => b.setAttribute("aria-pressed", Number(b.textContent) === panels.length));
  by("align").hidden = panels.length < 2;
  lab.hashText = "";
  if (lab.tab === "about") showAbout();
  lab.dirty = lab.look = true;
  changedAddress();
}
// With what was there before, when it fails.
function tryBuild(choices, keepView, what) {
  const before = { panels: lab.panels, about, names };
  try { build(choices, keepView); by("notice").hidden = true; return true; } catch (e) {
    lab.panels = before.panels; about = before.about; names = before.names;
    notice(what || "This cannot be simulated", e instanceof WebAssembly.RuntimeError ? "the module stopped (" + e.message + "); perhaps the browser has no more memory" : e.message, true);
    return false;
  }
}
const choices = () => lab.panels.map(p => p.choice);

function useModel(name, wish) {
  const path = modelPath(name);
  Object.assign(lab, { scene: name, custom: false, files: modelFiles(), path, main: path, text: MODELS_TEXT[path], title: name });
  if (/\.urdf$/.test(name)) surround();
  for (const k of ["settings", "links", "trot", "drops"]) lab[k] = wish[k] || (k === "links" ? new Map() : k === "settings" ? {} : k === "drops" ? [] : null);
}
// A robot without a scene: the ground and the drives that the command puts around it, as a scene beside its file.
function surround() {
  const e = new Engine();
  e.give(allFiles());
  const text = e.around(lab.path);
  if (text === null) return;
  lab.text = text;
  lab.path = lab.path.replace(/[^/]*$/, "") + "(" + lab.path.split("/").pop() + " on the ground).xml";
}
// What goes with a scene of the list, with what is asked for over it.
function openModel(name, solvers) {
  const own = readAddress("scene=" + encodeURIComponent(name));
  const before = { ...lab };
  useModel(name, own);
  if (!tryBuild(solvers || own.solvers, false)) Object.assign(lab, before, { dirty: true });
  else { by("scene").value = name; setPlaying(true); }
}
// Files from the disk: the scene among them, or else the robot; all others are there to be found by it.
async function openFiles(list) {
  const files = await Promise.all([...list].map(async f => [f.fullPath || f.name, new Uint8Array(await f.arrayBuffer())]));
  if (!files.length) return;
  const text = f => new TextDecoder().decode(f[1].subarray(0, 4000)), kind = f => /<scene[\s>]/.test(text(f)) ? 2 : /<(robot|mujoco)[\s>]/.test(text(f)) ? 1 : /\.(xml|urdf|mjcf)$/i.test(f[0]) ? 0.5 : 0;
  const main = files.slice().sort((a, b) => kind(b) - kind(a))[0];
  if (kind(main) === 0) { notice("No scene among these files", "Expected a scene (.xml), a robot (URDF or MJCF), and with it the meshes it names.", true); return; }
  openThese(files, main[0]);
}
function openThese(files, path, wish) {
  const before = { ...lab };
  Object.assign(lab, { scene: "", custom: true, files, path, main: path, text: new TextDecoder().decode(files.find(f => f[0] === path)[1]), title: path.split("/").pop(), settings: (wish && wish.settings) || {}, links: (wish && wish.links) || new Map(), trot: (wish && wish.trot) || null, drops: (wish && wish.drops) || [] });
  try { surround(); } catch (e) { /* building says it */ }
  if (!tryBuild((wish && wish.solvers) || ["scene"], false, "This file cannot be simulated")) { Object.assign(lab, before, { dirty: true }); return; }
  const warnings = lab.panels[0].engine.text(lab.panels[0].engine.x.lab_warnings()).trim();
  if (warnings) notice("This file is not simulated as a whole", warnings);
  showScenes();
  setPlaying(!(wish && wish.play === false));
}

function chooseSolver(panel, choice) {
  const before = panel.choice;
  panel.choice = choice;
  panel.stopped = "";
  applySettings(1, panel);
  if (panel.stopped) {                                 // it has no world now
    const why = panel.stopped;
    panel.choice = before;
    restart();
    toast(choice + ": " + why + "; from the start again");
    return;
  }
  lookAt(panel);
  buildHeads();
  if (lab.tab === "about") showAbout();
}
// More panels begin with the state of the first; a walk starts anew everywhere, as its phase is not part of a state.
const MORE = ["ncp-pgs", "ccp-pgs", "lcp-pgs", "raisim-bisection"];
function setPanels(n) {
  if (n === lab.panels.length || !lab.panels.length) return;
  const list = choices().slice(0, n), present = lab.panels.map(nameOf);
  for (const id of [...MORE, "default", "ncp-admm"]) if (list.length < n && !present.includes(id)) list.push(id);
  try {
    if (n > lab.panels.length && lab.trot) { tryBuild(list, true); return; }
    if (n < lab.panels.length) lab.panels.length = n;
    else {
      const snapshot = lab.panels[0].engine.snapshot();
      for (let i = lab.panels.length; i < n; ++i) {
        const p = new Panel(i, list[i]);
        openPanel(p);
        adopt(p, snapshot);
        lab.panels.push(p);
      }
    }
  } catch (e) { notice("No more panels", e.message, true); }
  afterPanels();
}
function adopt(panel, snapshot) {
  panel.engine.x.lab_offset(lab.panels[0].stats.time - lab.panels[0].stats.own);
  panel.engine.restore(snapshot);
  panel.traces = [];
  panel.stopped = "";
  lookAt(panel);
}
function align() {
  if (!lab.several() || lab.panels[0].stopped) return;
  const snapshot = lab.panels[0].engine.snapshot();
  for (const p of lab.panels.slice(1)) { try { if (p.stopped) openPanel(p); adopt(p, snapshot); } catch (e) { p.stopped = e.message; } }
  lab.dirty = lab.look = true;
}
function closePanel(panel) { lab.panels = lab.panels.filter(p => p !== panel); lab.panels.forEach((p, i) => { p.number = i; }); afterPanels(); }
function afterPanels() {
  buildHeads();
  by("counts").querySelectorAll("button").forEach(b => b.setAttribute("aria-pressed", Number(b.textContent) === lab.panels.length));
  by("align").hidden = !lab.several();
  by("laws").replaceChildren();
  lab.dirty = lab.look = true;
  changedAddress();
}
function restart() { if (lab.panels.length) tryBuild(choices(), true); }

// A box of wood above a place: the scene anew with one body more, and all others where they are.
function dropBox(point) {
  const side = Number(Math.min(1, Math.max(0.01, 0.9 * bodySize)).toPrecision(2)), z = point[2] + 1.5 * side;
  const olds = lab.panels.map(p => ({ ...p.engine.state(), names, time: p.stats.time, stats: p.stats, traces: p.traces }));
  lab.drops.push([...point.slice(0, 2), z].map(x => Number(x.toFixed(4))).concat(side));
  const keep = { view: { ...camera }, body: lab.body, picked: lab.picked, start: startPose, floor: lab.floor };
  if (!tryBuild(choices(), true)) { lab.drops.pop(); return; }
  lab.panels.forEach((p, i) => putState(p, olds[i]));
  Object.assign(camera, keep.view);
  Object.assign(lab, { picked: keep.picked, floor: keep.floor });
  startPose = keep.start;
  toast("dropped a box of " + show(side) + " m");
}
// q and v of another world into a panel's, joint by joint; its clock goes on.
function putState(panel, old) {
  const e = panel.engine, q = e.numbers(e.x.lab_q(), e.x.lab_nq()), v = e.numbers(e.x.lab_v(), e.x.lab_nv()), s = old.stats;
  for (const [name, iq, nq, iv, nv] of names.joints) {
    const o = old.names.joints.find(j => j[0] === name);
    if (!o) continue;
    for (let k = 0; k < nq; ++k) q[iq + k] = old.q[o[1] + k];
    for (let k = 0; k < nv; ++k) v[iv + k] = old.v[o[3] + k];
  }
  e.x.lab_offset(old.time);
  if (s) panel.base = { steps: s.steps, missed: s.missed, iterations: s.allIterations, contacts: s.contacts, broken: s.broken, residual: s.worst, penetration: s.deepest };
  panel.traces = old.traces || [];
  lookAt(panel);
}
function putAddressState(text) {
  const bytes = fromBase64(text), all = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~7)));
  if (all.length !== 1 + names.nq + names.nv) throw new Error("the address's state has " + all.length + " numbers: expected " + (1 + names.nq + names.nv) + " for this scene");
  const old = { q: all.slice(1, 1 + names.nq), v: all.slice(1 + names.nq), time: all[0], names };
  for (const p of lab.panels) putState(p, old);
}

// ---- time ------------------------------------------------------------------------------------------------------------------
const PLAY = '<svg width="14" height="14" viewBox="0 0 14 14"><path d="M3 1.5v11l9-5.5z" fill="currentColor"/></svg>';
const PAUSE = '<svg width="14" height="14" viewBox="0 0 14 14"><path d="M3 2h3v10H3zM8 2h3v10H8z" fill="currentColor"/></svg>';
function setPlaying(on) {
  lab.playing = on;
  if (on) lab.quality = Math.min(1, lab.quality / 0.8);
  by("play").innerHTML = on ? PAUSE : PLAY;
  by("play").setAttribute("aria-label", on ? "pause" : "run");
  lab.due = 0;
  lab.dirty = lab.look = true;
}
// One step of every panel. False when none goes on.
function stepAll() {
  let any = false;
  for (const p of lab.panels) {
    const before = performance.now();
    any = p.step() || any;
    p.milliseconds += performance.now() - before;
    ++p.timed;
  }
  ++lab.taken;
  return any;
}
function stepBy(n) { setPlaying(false); for (let i = 0; i < n && stepAll(); ++i) { /* each */ } lab.look = true; }
function setSpeed(change) {
  const select = by("speed");
  select.selectedIndex = Math.min(select.options.length - 1, Math.max(0, select.selectedIndex + change));
  lab.speed = Number(select.value);
  changedAddress();
}

// How long the steps of a picture may take [ms], so that the page stays responsive: more where pictures take long anyway.
const budgetFor = elapsed => Math.min(80, Math.max(24, 700 * elapsed));
let lastNow = 0, lastSide = 0, slow = 0, rateTime = 0, rateDone = 0;
function run(elapsed) {
  const dt = lab.panels[0].engine.x.lab_get(SET.dt), started = performance.now();
  lab.due += Math.min(0.15, elapsed) * lab.speed;
  let done = 0;
  while (lab.due >= dt) {
    if (!stepAll()) { setPlaying(false); break; }
    lab.due -= dt;
    done += dt;
    if (performance.now() - started > budgetFor(elapsed)) { lab.due = Math.min(lab.due, dt); break; }
  }
  rateDone += done;
  if (done > 0) lab.look = true;
  return performance.now() - started;
}
function tick(now) {
  const elapsed = lastNow ? (now - lastNow) / 1000 : 0;
  lastNow = now;
  if (lab.panels.length) {
    let spent = 0;
    if (lab.playing) {
      spent = run(elapsed);
      if (elapsed > 0) lab.fps += 0.08 * (1 / elapsed - lab.fps);
      adapt(elapsed, spent);
      rateTime += elapsed;
      if (rateTime > 0.7) { lab.rate = rateDone / rateTime; rateTime = rateDone = 0; }
    } else { rateTime = rateDone = 0; }
    if (lab.look) { lab.look = false; lab.panels.forEach(lookAt); lab.dirty = true; lab.sideDue = true; }
    if (lab.dirty) { lab.dirty = false; draw(); }
    if (now - lastSide > (lab.playing ? 160 : 40) && lab.sideDue) { lastSide = now; lab.sideDue = false; showHeads(); showSide(); drawCurves(); showClock(); }
  }
  requestAnimationFrame(tick);
}
// Where drawing is slow (no graphics card), coarser pixels rather than fewer pictures.
function adapt(elapsed, spent) {
  slow = elapsed > 0.036 && spent < 15 ? slow + 1 : Math.max(0, slow - 0.5);
  if (slow < 12) return;
  slow = 0;
  if (lab.quality > 0.45) lab.quality *= 0.8;
}
function showClock() {
  const s = lab.panels[0].stats;
  by("clock").textContent = s ? s.time.toFixed(3) + " s" : "";
  by("rate").textContent = lab.panels.every(p => p.stopped) ? "stopped" : lab.playing ? (lab.rate >= 0.97 * lab.speed || lab.rate === 0 ? "real time" + (lab.speed === 1 ? "" : " \u00D7 " + lab.speed) : show(lab.rate, 2) + " \u00D7 real time") : "paused";
}

// ---- address, theme, pictures ----------------------------------------------------------------------------------------------------
let addressTimer = 0, ownHash = null;
function changedAddress() {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(async () => { ownHash = await writeAddress(false); if (lab.custom && ownHash.length > 8000) return; try { history.replaceState(null, "", ownHash); } catch (e) { location.hash = ownHash; } }, 300);
}
async function copyLink() { const hash = await writeAddress(true); copyText(location.href.replace(/#.*/, "") + hash, hash.includes("state=") ? "The link to this moment is copied." : "The link is copied (the state is too large for it)."); }
function setTheme(name) { document.documentElement.dataset.theme = name; lab.dirty = lab.look = true; lab.sideDue = true; }
function savePicture() {
  draw();                                              // the buffer is there until this turn ends
  view.toBlob(b => saveFile("lab-" + (lab.scene || "scene").replace(/\W+/g, "_") + ".png", "image/png", b));
}

// ---- controls ----------------------------------------------------------------------------------------------------------------
const TOGGLES = [["contacts", "Contacts", "C", "contacts: grey open, blue sticking, orange sliding"], ["forces", "Forces", "F", "contact forces"], ["cones", "Cones", "K", "friction cones"], ["frames", "Frames", "X", "axes of bodies"], ["shadows", "Shadow", "S", "shadows"]];
function toggle(name) { lab.show[name] = !lab.show[name]; showToggles(); lab.dirty = true; changedAddress(); }
function showToggles() { for (const [name] of TOGGLES) by("show-" + name).setAttribute("aria-pressed", lab.show[name]); by("follow").setAttribute("aria-pressed", lab.follow); }
const TOOLS = [["pull", "Pull", "P", "drag a body by a spring"], ["push", "Push", "U", "click a body: it is pushed away from you"], ["drop", "Drop box", "B", "click a place: a box falls on it"]];
function setTool(name) { lab.tool = name; for (const [t] of TOOLS) by("tool-" + t).setAttribute("aria-pressed", t === name); }
function button(id, text, title, act, holder) {
  const b = element("button", "", text);
  b.id = id; b.title = title;
  b.addEventListener("click", act);
  holder.append(b);
  return b;
}
function follow() {                                    // what is in sight stays there
  const before = followOffset();
  lab.follow = !lab.follow;
  camera.target = vec.add(camera.target, vec.sub(before, followOffset()));
  showToggles();
  lab.dirty = true;
}
function nextSolver(step) {
  const ids = ["scene", ...registry.solvers.map(s => s.id)], p = lab.panels[0];
  chooseSolver(p, ids[(ids.indexOf(p.choice) + step + ids.length) % ids.length]);
}
function showScenes() {
  const select = by("scene"), listed = new Set();
  select.replaceChildren();
  const group = (name, list) => { const g = element("optgroup"); g.label = name; for (const [value, text] of list) { const o = element("option", "", text); o.value = value; g.append(o); } select.append(g); };
  if (lab.custom) group("Opened", [["", lab.title]]);
  for (const [name, list] of OFFERED) { group(name, list.map(([n, what]) => [n, n + ": " + what])); list.forEach(l => listed.add(l[0])); }
  const all = Object.keys(MODELS_TEXT).map(p => p.replace(/^models\//, ""));
  group("All other scenes", all.filter(p => /\.xml$/.test(p)).map(p => p.replace(/\.xml$/, "")).filter(n => !listed.has(n)).map(n => [n, n]));
  group("Robots without a scene", all.filter(p => /\.urdf$/.test(p)).map(n => [n, n]));
  select.value = lab.custom ? "" : lab.scene;
}
function createControls() {
  for (const [name, label, key, help] of TOGGLES) button("show-" + name, label, help + " (" + key + ")", () => toggle(name), by("toggles"));
  button("follow", "Follow", "the camera moves along with the first body (V)", follow, by("toggles"));
  button("link", "Link", "copy a link to this scene, its settings and this moment (L)", copyLink, by("toggles"));
  button("png", "PNG", "the picture as a file (G)", savePicture, by("toggles"));
  button("theme", "\u25D0", "dark or light (T)", () => setTheme(theme() === "dark" ? "light" : "dark"), by("toggles")).setAttribute("aria-label", "dark or light");
  button("help", "?", "keys (?)", () => by("keys").showModal(), by("toggles")).setAttribute("aria-label", "keys");
  for (const [name, label, key, help] of TOOLS) button("tool-" + name, label, help + " (" + key + ")", () => setTool(name), by("tools"));
  for (const n of [1, 2, 4]) button("count-" + n, String(n), n + (n > 1 ? " panels side by side" : " panel") + " (" + n + ")", () => setPanels(n), by("counts"));
  STATE_WORDS.forEach((word, i) => { const s = element("span"), dot = element("i"); dot.style.background = hexOf(STATE_COLOUR[i]); s.append(dot, word); by("legend").append(s); });
  { const s = element("span"), dot = element("i"); dot.style.background = hexOf(FORCE_COLOUR); s.append(dot, "force"); by("legend").append(s); }
  by("play").addEventListener("click", () => setPlaying(!lab.playing));
  by("step").addEventListener("click", e => stepBy(e.shiftKey ? 10 : 1));
  by("restart").addEventListener("click", restart);
  by("align").addEventListener("click", align);
  by("speed").addEventListener("change", () => setSpeed(0));
  by("scene").addEventListener("change", () => { if (by("scene").value) openModel(by("scene").value); });
  by("open").addEventListener("click", () => by("files").click());
  by("files").addEventListener("change", () => openFiles(by("files").files));
  for (const b of document.querySelectorAll(".tabs button")) b.addEventListener("click", () => selectTab(b.dataset.tab));
}
const KEYS = {
  " ": () => setPlaying(!lab.playing), ArrowRight: e => stepBy(e.shiftKey ? 10 : 1), Home: restart, "+": () => setSpeed(1), "=": () => setSpeed(1), "-": () => setSpeed(-1),
  p: () => setTool("pull"), u: () => setTool("push"), b: () => setTool("drop"), d: () => dropBox([bounds.centre[0], bounds.centre[1], Math.max(bounds.hi[2], 0)]),
  1: () => setPanels(1), 2: () => setPanels(2), 4: () => setPanels(4), a: align, "[": () => nextSolver(-1), "]": () => nextSolver(1),
  v: follow, r: resetView, t: () => setTheme(theme() === "dark" ? "light" : "dark"), l: copyLink, g: savePicture, "?": () => by("keys").showModal(),
  Escape: () => { lab.picked = lab.body = null; by("notice").hidden = true; toastBox.hidden = true; showBody(); letGo(); },
};
for (const [name, , key] of TOGGLES) KEYS[key.toLowerCase()] = () => toggle(name);
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || by("keys").open || e.target.tagName === "SELECT" || (e.target.tagName === "INPUT" && e.target.type === "number")) return;
  if (e.target.tagName === "INPUT" && e.target.type === "range" && /^(Arrow|Home)/.test(e.key)) return;
  if (e.target.tagName === "BUTTON" && e.key === " ") return;
  const act = KEYS[e.key.length === 1 ? e.key.toLowerCase() : e.key];
  if (!act || !lab.panels.length) return;
  e.preventDefault();
  act(e);
});

// ---- dropping files --------------------------------------------------------------------------------------------------------
async function filesOf(entry, path) {
  if (entry.isFile) { const f = await new Promise((done, no) => entry.file(done, no)); f.fullPath = path + entry.name; return [f]; }
  const reader = entry.createReader(), out = [];
  for (;;) {
    const some = await new Promise((done, no) => reader.readEntries(done, no));
    if (!some.length) return out;
    for (const e of some) out.push(...await filesOf(e, path + entry.name + "/"));
  }
}
addEventListener("dragover", e => { e.preventDefault(); by("droppable").hidden = false; });
addEventListener("dragleave", e => { if (!e.relatedTarget) by("droppable").hidden = true; });
addEventListener("drop", async e => {
  e.preventDefault();
  by("droppable").hidden = true;
  const entries = [...e.dataTransfer.items].map(i => i.webkitGetAsEntry && i.webkitGetAsEntry()).filter(Boolean), plain = [...e.dataTransfer.files];
  try { openFiles(entries.length ? (await Promise.all(entries.map(x => filesOf(x, "")))).flat() : plain); } catch (error) { openFiles(plain); }
});

// ---- start ------------------------------------------------------------------------------------------------------------------
async function followAddress(hash) {
  let w, why = "";
  const wrongAddress = text => notice("This address cannot be followed", text, true);
  try { w = readAddress(hash); } catch (e) {
    why = e.message;
    if (lab.panels.length) { wrongAddress(why); return; }
    w = readAddress("");
  }
  lab.links = w.links;
  if (w.files) {
    try { const f = await unpackFiles(w.files); openThese(f.files, f.path, w); } catch (e) { notice("The files in the address", e.message, true); }
  } else {
    useModel(w.scene, w);
    if (!tryBuild(w.solvers, false) && !lab.panels.length) { why = by("notice").querySelector("pre").textContent; useModel("cube_slide", {}); build(["scene"], false); }
    showScenes();
  }
  if (!lab.panels.length) return;
  if (w.state) { try { putAddressState(w.state); } catch (e) { why = e.message; } }
  if (w.show) { for (const k of SHOWN) lab.show[k] = w.show.includes(k); }
  if (w.follow !== null) lab.follow = w.follow;
  if (w.theme === "dark" || w.theme === "light") setTheme(w.theme);
  const dt = lab.panels[0].engine.x.lab_get(SET.dt);
  for (let k = Math.round(w.t / dt); k > 0 && stepAll(); --k) if (k % 20 === 0) lab.panels.forEach(lookAt);
  lab.panels.forEach(lookAt);
  if (w.yaw !== undefined) camera.yaw = w.yaw;
  if (w.pitch !== undefined) camera.pitch = w.pitch;
  if (w.zoom > 0) zoomCamera(camera, 1 / w.zoom, bounds.radius);
  if (w.contact !== undefined) lab.picked = lab.panels[0].contacts[w.contact] || null;
  by("speed").value = String(w.speed); lab.speed = w.speed;
  if (by("speed").selectedIndex < 0) { const o = element("option", "", "\u00D7" + w.speed); o.value = w.speed; by("speed").append(o); by("speed").value = String(w.speed); }
  selectTab(w.tab || (w.contact !== undefined ? "contact" : lab.tab));
  showToggles();
  setPlaying(w.play);
  if (why) wrongAddress(why);
}
async function start() {
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  createControls();
  createSettings();
  createCurves();
  setTool("pull");
  selectTab("settings");
  listenToView();
  try { program = await WebAssembly.compile(bytesOf(by("program").textContent.trim())); registry = Engine.registry(); } catch (e) {
    notice("This browser cannot run the laboratory", "It needs WebAssembly: " + e.message, true);
    return;
  }
  by("program").remove();
  try { await followAddress(location.hash); } catch (e) { notice("The page failed", e.message, true); console.error(e); return; }
  if (!renderer) notice("No picture", "This browser gives no WebGL2. Settings, laws and curves work.", true);
  new ResizeObserver(() => { lab.dirty = lab.look = true; }).observe(stage);
  addEventListener("hashchange", () => { if (location.hash !== ownHash) followAddress(location.hash); });
  requestAnimationFrame(tick);
  window.lab.ready = true;
}
window.lab = lab;
window.laboratory = { lab, camera, bounds, draw, projected, bodyAt, panels: () => shownPanels, gl: () => renderer && renderer.gl, names: () => names, about: () => about, chooseSolver, setPanels, runHash, openModel, setPlaying, stepBy, writeAddress, plotSvg, PLOTS, lawsText, registry: () => registry, view: () => view };
start();
