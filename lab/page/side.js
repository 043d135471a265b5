// The side: settings, laws, the picked contact, what the scene is; and the head of each panel.
const LAWS = [
  ["Signorini", "Signorini: bodies do not approach where they touch, a contact does not pull, and one that pushes does not part."],
  ["Coulomb", "Coulomb: friction is at most \u03BC times the normal force, so the impulse stays inside its cone."],
  ["Dissipation", "Maximum dissipation: a contact that slides has friction opposite to its velocity, and as much as Coulomb's law allows."]];
const RULES = [
  { key: "mu", label: "friction \u03BC", lo: 0, hi: 2, step: 0.01, help: "Coulomb friction of all surfaces." },
  { key: "e", label: "restitution e", lo: 0, hi: 1, step: 0.01, help: "Share of the approach speed with which bodies part after an impact." },
  { key: "compliance", label: "compliance [m/N]", lo: -8, hi: -2, step: 0.05, log: true, zero: true, help: "How far a contact point yields under 1 N; 0 is rigid. Half of critical damping for the lightest body goes with it." },
  { key: "dt", label: "time step [s]", lo: -4, hi: -1.7, step: 0.02, log: true, help: "Length of one step." },
  { key: "mass", label: "all masses \u00D7", lo: -1, hi: 1, step: 0.02, log: true, again: 1, help: "Factor on masses and inertias of all bodies." },
  { key: "gravity", label: "gravity \u00D7", lo: -1, hi: 2, step: 0.02, again: 1, help: "Factor on gravity; below 0 things fall up." },
  { key: "tol", label: "tolerance", lo: -12, hi: 0, step: 0.25, log: true, help: "The residual at which the solver may stop." },
  { key: "iters", label: "iteration limit", lo: 0, hi: 4, step: 0.02, log: true, zero: true, whole: true, help: "Most iterations of a solve; 0 is the solver's own limit." },
  { key: "erp", label: "overlap worked off", lo: 0, hi: 1, step: 0.01, help: "Share of an overlap that a step removes." }];

// The ends of a slider: its lowest place stands for 0 where 0 has a meaning of its own.
const placeOf = (r, x) => r.log ? (x > 0 ? Math.log10(x) : r.lo) : x;
const valueOf = (r, at) => { const x = r.log ? (r.zero && at <= r.lo ? 0 : 10 ** at) : at; return r.whole ? Math.round(x) : Number(x.toPrecision(3)); };

function createSettings() {
  const pane = by("settings");
  pane.append(element("h2", "", "Laws and numbers, while it runs"));
  for (const r of RULES) {
    const box = element("div", "setting own"), label = element("label", "", r.label), number = element("input"), back = element("button", "", "\u21BA"), slide = element("input");
    box.title = r.help;
    number.type = "number"; number.step = "any"; number.id = "set-" + r.key; label.htmlFor = number.id;
    slide.type = "range"; slide.min = r.lo; slide.max = r.hi; slide.step = r.step; slide.id = "slide-" + r.key; slide.setAttribute("aria-label", r.label + ": " + r.help);
    back.title = "as the scene has it"; back.setAttribute("aria-label", r.label + " as the scene has it");
    slide.addEventListener("input", () => setValue(r, valueOf(r, Number(slide.value))));
    number.addEventListener("change", () => { const [lo, hi] = r.key === "mass" ? [1e-6, 1e6] : NUMBER_KEYS[r.key], x = Number(number.value); if (number.value !== "" && x >= lo && x <= hi) setValue(r, x); else { toast(`${r.label}: expected a number from ${lo} to ${hi}`); showSettings(); } });
    back.addEventListener("click", () => setValue(r, undefined));
    box.append(label, number, back, slide);
    pane.append(box);
    Object.assign(r, { box, number, slide, back });
  }
  const warm = element("div", "row"), check = element("input"), label = element("label", "", " warm start");
  check.type = "checkbox"; check.id = "set-warm"; label.prepend(check);
  label.title = "Each solve starts from the impulses of the last step; else from zero.";
  check.addEventListener("change", () => { lab.settings.warm = check.checked ? undefined : 0; applySettings(0); });
  warm.append(label);
  pane.append(warm);
  const body = element("div"); body.id = "bodybox"; pane.append(body);
  const walk = element("div"); walk.id = "walkbox"; pane.append(walk);
}
function setValue(r, x) {
  lab.settings[r.key] = x;
  if (x === undefined) delete lab.settings[r.key];
  applySettings(r.again ? 2 : 0);
}
// kind 0: between two steps; 1: another solver; 2: masses or gravity.
function applySettings(kind, only) {
  for (const p of only ? [only] : lab.panels) {
    if (!p.engine) continue;
    try {
      const e = p.engine;
      for (const key in SET) e.x.lab_set(SET[key], lab.settings[key] === undefined ? NaN : lab.settings[key]);
      if (kind === 0) e.check(e.x.lab_apply());
      else {
        e.x.lab_solver(e.word(p.choice === "scene" ? "" : p.choice));
        for (const [name, f] of lab.links) { const i = names.links.findIndex(l => l[0] === name); if (i >= 0) e.x.lab_factor(i, f); }
        e.check(e.x.lab_again(kind === 2 ? 1 : 0));
        e.x.lab_record(1);
        p.about = null;
        if (kind === 2) p.traces.length = 0;
      }
    } catch (error) { p.stopped = error.message; }
  }
  showSettings();
  lab.look = true;
  changedAddress();
}
function showSettings() {
  const p = lab.panels[0];
  if (!p || !p.engine || p.stopped && !p.poses) return;
  for (const r of RULES) {
    const own = lab.settings[r.key] === undefined, x = p.engine.x.lab_get(SET[r.key]);
    r.box.classList.toggle("own", own);
    r.back.style.visibility = own ? "hidden" : "";
    if (document.activeElement !== r.number) r.number.value = Number(x.toPrecision(4));
    if (document.activeElement !== r.slide || own) r.slide.value = r.zero && !(x > 0) ? r.lo : placeOf(r, x);
  }
  by("set-warm").checked = p.engine.x.lab_get(SET.warm) > 0;
}

function showBody() {
  const box = by("bodybox");
  box.replaceChildren();
  if (!lab.body) return;
  const name = lab.body.name, row = element("div", "setting"), label = element("label", "", "mass of " + name + " \u00D7"), number = element("input"), back = element("button", "", "\u21BA"), slide = element("input");
  const set = f => { if (f === 1) lab.links.delete(name); else lab.links.set(name, f); number.value = Number(f.toPrecision(3)); slide.value = Math.log10(f); if (f === 1) for (const p of lab.panels) { const i = names.links.findIndex(l => l[0] === name); if (i >= 0) p.engine.x.lab_factor(i, 1); } applySettings(2); };
  number.type = "number"; number.step = "any"; number.id = "set-body"; label.htmlFor = "set-body";
  slide.type = "range"; slide.min = -2; slide.max = 3; slide.step = 0.02; slide.setAttribute("aria-label", "mass of " + name);
  number.value = lab.links.get(name) || 1; slide.value = Math.log10(lab.links.get(name) || 1);
  slide.addEventListener("input", () => set(Number((10 ** Number(slide.value)).toPrecision(3))));
  number.addEventListener("change", () => { const f = Number(number.value); if (f > 0 && f <= 1e6) set(f); });
  back.title = "as the scene has it"; back.setAttribute("aria-label", "mass of " + name + " as the scene has it");
  back.addEventListener("click", () => set(1));
  row.append(label, number, back, slide);
  box.append(element("h2", "", "The chosen body: " + show(about.bodies[lab.body.body - 1].mass) + " kg"), row);
}

function showWalk() {
  const box = by("walkbox");
  box.replaceChildren();
  if (!lab.trot) return;
  box.append(element("h2", "", "The walk"));
  [["forward [m/s]", -1, 1], ["left [m/s]", -0.5, 0.5], ["turn [rad/s]", -1, 1]].forEach(([name, lo, hi], i) => {
    const row = element("div", "setting"), label = element("label", "", name), value = element("output", "", show(lab.trot[i])), slide = element("input");
    slide.type = "range"; slide.min = lo; slide.max = hi; slide.step = 0.05; slide.value = lab.trot[i]; slide.setAttribute("aria-label", name);
    slide.addEventListener("change", () => { lab.trot[i] = Number(slide.value); value.textContent = show(lab.trot[i]); for (const p of lab.panels) p.engine.x.lab_walk(...lab.trot); changedAddress(); });
    row.append(label, value, element("span"), slide);
    box.append(row);
  });
}

// ---- heads of panels ------------------------------------------------------------------------------------------------
function solverSelect(panel) {
  const select = element("select"), groups = new Map();
  select.setAttribute("aria-label", "solver of panel " + (panel.number + 1));
  select.title = "the solver of this panel";
  const add = (group, value, text, title) => {
    if (!groups.has(group)) { const g = element("optgroup"); g.label = group; groups.set(group, g); select.append(g); }
    const o = element("option", "", text);
    o.value = value; o.title = title || "";
    groups.get(group).append(o);
  };
  add("As it is", "scene", "scene: " + (names.solver || ""), "the solver that the scene asks for");
  for (const s of registry.solvers) add(s.model, s.id, s.id, s.about);
  for (const e of registry.engines.split(" ")) add("Like an engine", "like:" + e, "like " + e, "solver, contact law and options as this engine has them");
  select.value = panel.choice;
  select.addEventListener("change", () => chooseSolver(panel, select.value));
  return select;
}
function buildHeads() {
  by("heads").replaceChildren(...lab.panels.map(p => {
    const head = element("div", "head"), line = element("div"), dot = element("i"), laws = element("div", "laws"), close = element("button", "close", "\u00D7");
    dot.style.background = p.colour;
    p.modelText = element("span", "model");
    line.append(dot, solverSelect(p), p.modelText);
    if (lab.several()) { close.title = "close this panel"; close.setAttribute("aria-label", "close panel " + (p.number + 1)); close.addEventListener("click", () => closePanel(p)); line.append(close); }
    p.chips = LAWS.map(([name, help]) => { const c = element("span", "chip", name); c.title = help; laws.append(c); return c; });
    p.residualChip = element("span", "chip extra"); p.residualChip.title = "The judge's residual of the nonlinear contact problem in the last step, and the solver's iterations."; laws.append(p.residualChip);
    p.missedChip = element("span", "chip extra"); p.missedChip.title = "Steps in which the solver did not reach its tolerance."; laws.append(p.missedChip);
    p.stopBox = element("div", "stop"); p.stopBox.hidden = true; p.stopBox.setAttribute("role", "alert");
    head.append(line, laws, p.stopBox);
    p.head = head;
    return head;
  }));
  document.body.classList.toggle("several", lab.several());
}
const percent = x => x === 0 ? "0" : x < 0.001 ? "<0.1 %" : show(100 * x, 2) + " %";
function showHeads() {
  for (const { panel: p, rect } of layout()) {
    Object.assign(p.head.style, { left: rect[0] + "px", top: rect[1] + "px", width: rect[2] + "px", height: rect[3] + "px" });
    p.stopBox.hidden = !p.stopped;
    if (p.stopped && p.stopBox.dataset.text !== p.stopped) {
      p.stopBox.dataset.text = p.stopped;
      const again = element("button", "", "From the start");
      again.addEventListener("click", restart);
      p.stopBox.replaceChildren(element("b", "", "This panel stopped"), element("span", "", p.stopped + " "), again);
    }
    if (!p.stats) continue;
    const s = p.stats, solver = p.solver();
    p.modelText.textContent = solver ? solver.model : "";
    LAWS.forEach(([name], k) => {
      const share = s.contacts ? s.broken[k] / s.contacts : 0, broken = share > 0.001;
      p.chips[k].textContent = (broken ? "\u2717 " : "\u2713 ") + name + " " + (s.broken[k] ? percent(share) : "0");
      p.chips[k].className = "chip " + (broken ? "broken" : "kept");
    });
    p.residualChip.textContent = "\u03B5 " + show(s.residual, 2) + " \u00B7 " + s.iterations + " it";
    p.missedChip.textContent = s.missed + " missed";
    p.missedChip.className = "chip extra" + (s.missed ? " broken" : "");
  }
}

// ---- laws ------------------------------------------------------------------------------------------------------------
const MEASURES = [
  ["model", p => (p.solver() || {}).model || ""], ["time [s]", p => p.stats.time.toFixed(3)], ["steps", p => p.stats.steps], ["missed steps", p => p.stats.missed],
  ["residual \u03B5, this step", p => show(p.stats.residual, 2)], ["  primal [N s]", p => show(p.stats.primal, 2)], ["  dual [m/s]", p => show(p.stats.dual, 2)], ["  compl. [J]", p => show(p.stats.comp, 2)],
  ["largest residual", p => show(p.stats.worst, 2)], ["iterations, this step", p => p.stats.iterations], ["iterations, mean", p => show(p.stats.steps ? p.stats.allIterations / p.stats.steps : 0)],
  ["contacts now", p => p.stats.met], ["break Signorini", p => percent(p.stats.contacts ? p.stats.broken[0] / p.stats.contacts : 0), LAWS[0][1]], ["break Coulomb", p => percent(p.stats.contacts ? p.stats.broken[1] / p.stats.contacts : 0), LAWS[1][1]],
  ["break dissipation", p => percent(p.stats.contacts ? p.stats.broken[2] / p.stats.contacts : 0), LAWS[2][1]],
  ["overlap, most [mm]", p => show(1e3 * p.stats.deepest, 2)], ["kinetic energy [J]", p => show(p.stats.kinetic, 4)], ["potential energy [J]", p => show(p.stats.potential, 4)],
  ["\u00B5s a step", p => show(p.timed ? 1e3 * p.milliseconds / p.timed : 0)]];
function showLaws() {
  by("laws").classList.toggle("four", lab.panels.length > 2);
  const pane = by("laws"), table = element("table"), head = element("tr"), top = element("thead"), rowsBox = element("tbody");
  head.append(element("th", "", "since the start"));
  for (const p of lab.panels) { const th = element("th"), dot = element("i"); dot.style.background = p.colour; th.append(dot, lab.panels.length > 2 ? String(p.number + 1) : nameOf(p)); th.title = nameOf(p); head.append(th); }
  top.append(head);
  for (const [name, of, help] of MEASURES) {
    const tr = element("tr"), th = element("th", "", name);
    if (help) th.title = help;
    tr.append(th);
    for (const p of lab.panels) tr.append(element("td", "", p.stats ? String(of(p)) : "\u2013"));
    rowsBox.append(tr);
  }
  table.append(top, rowsBox);
  if (pane.querySelector("table")) { pane.querySelector("table").replaceWith(table); return; }
  const row = element("div", "row"), copy = element("button", "", "Copy as a table"), zero = element("button", "", "Count anew");
  copy.title = "tab-separated, for a spreadsheet"; copy.id = "copylaws";
  copy.addEventListener("click", () => copyText(lawsText(), "The table is copied."));
  zero.addEventListener("click", () => { for (const p of lab.panels) { p.engine.x.lab_count_anew(); p.base = { steps: 0, missed: 0, iterations: 0, contacts: 0, broken: [0, 0, 0], residual: 0, penetration: 0 }; } lab.look = true; });
  row.append(copy, zero);
  pane.replaceChildren(table, row, element("p", "hint", "By a judge that knows the impulses alone. A contact breaks a law when it misses it by more than rounding explains (docs/replay.md)."));
}
const lawsText = () => [["", ...lab.panels.map(nameOf)].join("\t"), ...MEASURES.map(([name, of]) => [name.trim(), ...lab.panels.map(p => p.stats ? of(p) : "")].join("\t"))].join("\n").replace(/\u2212/g, "-");
const nameOf = p => p.choice === "scene" ? names.solver : p.choice.replace(":", " ");

// ---- the picked contact --------------------------------------------------------------------------------------------------
function showContact() {
  const pane = by("contact"), list = lab.picked ? lab.panels.map(p => [p, (p.contacts || []).find(c => sameContact(c, lab.picked))]) : [];
  const found = list.filter(([, c]) => c);
  if (!lab.picked) { pane.replaceChildren(element("h2", "", "Contact"), element("p", "hint", "Click a contact (a dot in the picture) to see its friction cone with \u03BB in it and its velocity \u03C3, and which laws it keeps."), element("p", "hint", "grey: open \u00B7 blue: sticks \u00B7 orange: slides \u00B7 red rim: breaks a law")); return; }
  if (!found.length) { pane.replaceChildren(element("h2", "", "Contact"), element("p", "hint", "The chosen contact is not there now; Esc lets it go.")); return; }
  pane.replaceChildren(...found.map(([p, c]) => {
    const box = element("div"), head = element("h2", "", lab.several() ? nameOf(p) : "Contact"), chip = element("span", "state", STATE_WORDS[c.state]);
    chip.style.background = `var(${STATE_CSS[c.state]})`;
    head.append(chip);
    const pair = [c.a, c.b].map(i => { const [name, link, body] = about.colliders[i] || ["?", "?", 0]; return body === 0 && name ? name : link; });
    const canvas = element("canvas");
    box.append(head, element("p", "", pair[0] + " \u2192 " + pair[1]), canvas);
    lawsOf(c).forEach((law, k) => {
      const row = element("div", "law " + (law.broken ? "broken" : "kept")), words = element("span", "", law.name + (law.broken ? ", broken" : ""));
      row.title = LAWS[k][1];
      words.append(element("small", "", law.say));
      row.append(element("b", "", law.broken ? "\u2717" : "\u2713"), words);
      box.append(row);
    });
    const three = v => v.map(x => show(Math.abs(x) < 1e-4 * vec.len(v) ? 0 : x)).join(", ");
    box.append(rows(element("table"), [["\u03BB [N s]", three(c.lambda)], ["\u03C3 [m/s]", three(c.sigma)], ["force", show(vec.len(c.lambda) / c.run.about.dt), "N"], ["\u03BC", show(c.mu)], ["gap", show(1e3 * c.gap), "mm"]]));
    requestAnimationFrame(() => drawCone(canvas, c));
    return box;
  }));
}

// ---- about, hash, models -------------------------------------------------------------------------------------------------
function showAbout() {
  const pane = by("aboutpane"), solvers = [...new Set(lab.panels.map(p => p.solver()).filter(Boolean))], box = element("div");
  box.append(element("h2", "", lab.title), element("p", "", about.about || "No description."));
  box.append(rows(element("table"), [["bodies that move", String(about.bodies.length)], ["freedoms", String(names.nv)], ["shapes", String(about.shapes.length)], ["time step", show(1e3 * lab.panels[0].engine.x.lab_get(SET.dt)), "ms"], ["pictures a second", show(lab.fps, 2)]]));
  const check = element("div"), go = element("button", "", "Run 2000 steps and hash them"), out = element("pre", "", lab.hashText || "not run yet");
  go.id = "hash"; out.id = "hashes";
  go.addEventListener("click", () => runHash());
  check.append(element("h2", "", "The same bits as the native build"), element("p", "hint", "Runs the scene from its start, as it is in its file, and hashes all positions, velocities and impulses, as 'slipstick sim --hash' does."), go, out);
  const models = element("div");
  for (const s of solvers) {
    const m = MODELS[s.model.toUpperCase()] || MODELS.NCP;
    models.append(element("h2", "", s.id + ": " + s.model), element("p", "", s.about + (s.paper ? " (" + s.paper + ")" : "")), element("pre", "", m.text), element("p", "hint", m.say));
  }
  const warnings = lab.panels[0].engine.text(lab.panels[0].engine.x.lab_warnings()).trim();
  pane.replaceChildren(box, check, models, ...(warnings ? [element("h2", "", "Warnings"), element("pre", "", warnings)] : []), element("p", "hint", "slipstick " + registry.version + ", double precision, WebAssembly"));
}

let hashing = false;
async function runHash(steps = 2000) {
  if (hashing) return null;
  hashing = true;
  try {
    const e = new Engine(), known = lab.custom ? null : KNOWN_HASHES.find(k => k.scene === lab.scene && k.steps === steps);
    const trot = known && known.trot ? known.trot : lab.trot ? lab.trot.join() : "", walk = trot ? trot.split(",").map(Number) : null;
    e.open(allFiles(), lab.main, { solver: "scene", trot: walk && walk.length === 3 ? walk : walk ? [...walk, 0, 0].slice(0, 3) : null });
    const started = performance.now();
    for (let k = 0; k < steps; ) {
      const until = performance.now() + 30;
      for (; k < steps && performance.now() < until; ++k) e.check(e.x.lab_hash_step());
      lab.hashText = k + " of " + steps + " steps \u2026";
      if (by("hashes")) by("hashes").textContent = lab.hashText;
      await new Promise(done => setTimeout(done, 0));
    }
    const half = high => (e.x.lab_hash(high) >>> 0).toString(16).padStart(8, "0"), hash = half(1) + half(0), dt = e.x.lab_get(SET.dt);
    const command = "slipstick sim " + lab.main + (trot ? " --trot " + trot : "") + " --time " + short(steps * dt) + " --hash";
    lab.hashText = `${hash}\n${steps} steps in ${show((performance.now() - started) / 1e3)} s\n` + (known ? known.hash === hash ? "equal to the native build's (tests/bits.txt)\n" : "NOT the native build's " + known.hash + "\n" : "") + "compare: " + command;
    if (by("hashes")) by("hashes").textContent = lab.hashText;
    return hash;
  } catch (error) { lab.hashText = error.message; if (by("hashes")) by("hashes").textContent = lab.hashText; return null; } finally { hashing = false; }
}

function showSide() {
  if (lab.tab === "laws") showLaws();
  else if (lab.tab === "contact") showContact();
}
function selectTab(name) {
  lab.tab = name;
  document.body.dataset.pane = name;
  for (const b of document.querySelectorAll(".tabs button")) b.setAttribute("aria-selected", b.dataset.tab === name);
  for (const [id, tab] of [["settings", "settings"], ["laws", "laws"], ["contact", "contact"], ["aboutpane", "about"]]) by(id).hidden = tab !== name;
  if (name === "about" && lab.panels[0]) showAbout();
  lab.look = true;
  changedAddress();
}
