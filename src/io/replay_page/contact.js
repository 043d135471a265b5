// The side panel: one contact read aloud, its friction cone drawn, the model's equation, and the run in numbers.
function sameContact(c, d) { return c.run === d.run && c.a === d.a && c.b === d.b && c.feature === d.feature; }

function contactCard(c) {
  const box = element("div"), head = element("h2", "", "Contact"), chip = element("span", "state", STATE_WORDS[c.state]);
  const pair = [c.a, c.b].map(i => { const [name, link, body] = about.colliders[i] || ["?", "?", 0]; return body === 0 && name ? name : link; });
  chip.style.background = `var(${STATE_CSS[c.state]})`;
  head.append(chip);
  box.append(head, element("p", "", pair[0] + " \u2192 " + pair[1] + (runs.length > 1 ? "  \u00B7  " + c.run.solver : "")));
  const canvas = element("canvas");
  box.append(canvas);
  for (const law of lawsOf(c)) {
    const row = element("div", "law " + (law.broken ? "broken" : "kept")), words = element("span", "", law.name + (law.broken ? ", broken" : ""));
    words.append(element("small", "", law.say));
    row.append(element("b", "", law.broken ? "\u2717" : "\u2713"), words);
    box.append(row);
  }
  const three = v => v.map(x => show(Math.abs(x) < 1e-4 * vec.len(v) ? 0 : x)).join(", ");
  box.append(rows(element("table"), [
    ["\u03BB [N s]", three(c.lambda)], ["\u03C3 [m/s]", three(c.sigma)], ["force", show(vec.len(c.lambda) / c.run.about.dt), "N"],
    ["\u03BC", show(c.mu)], ["gap", show(1e3 * c.gap), "mm"],
    ["\u03B5 primal", small(c.eps[0]), "N s"], ["\u03B5 dual", small(c.eps[1]), "m/s"], ["\u03B5 compl.", small(c.eps[2]), "J"]]));
  return box;
}

function modelCard(run) {
  const m = MODELS[run.about.model.toUpperCase()] || MODELS.NCP, box = element("div");
  box.append(element("h2", "", "Model: " + run.about.model + (runs.length > 1 ? " (" + run.solver + ")" : "")), element("pre", "", m.text), element("p", "hint", m.say));
  return box;
}

function runCard(run) {
  const s = run.about.summary, box = element("div"), share = k => s.contacts ? show(100 * s.broken[k] / s.contacts) + " %" : "\u2013";
  box.append(element("h2", "", "Run"));
  const list = [["solver", run.solver], ["method", run.about.method]];
  if (run.about.paper) list.push(["where", run.about.paper]);
  if (run.about.engines) list.push(["engines like it", run.about.engines]);
  list.push(["time step", show(1e3 * run.about.dt), "ms"], ["tolerance", show(run.about.tol)], ["steps", String(s.steps)],
    ["missed tolerance", String(s.missed)], ["iterations a step", show(s.steps ? s.iterations / s.steps : 0)],
    ["largest residual", show(s.residual, 2)], ["deepest overlap", show(1e3 * s.penetration), "mm"],
    ["break Signorini", share(0)], ["break Coulomb", share(1)], ["break max. dissipation", share(2)]);
  if (s.timed) list.push(["time a step", show(1e6 * s.seconds / s.timed), "\u00B5s"]);
  const table = rows(element("table"), list);
  box.append(table, copyButton(table));
  if (about.command) box.append(element("h2", "", "Made by"), element("pre", "", about.command));
  return box;
}

// A table as text for a spreadsheet: columns apart by tabs, the minus of keyboards.
const tableText = table => [...table.rows].map(r => [...r.cells].map(x => x.textContent.trim()).join("\t")).join("\n").replace(/\u2212/g, "-");
function copyButton(table) {
  const b = element("button", "copy", "Copy the numbers");
  b.title = "as a table for a spreadsheet";
  b.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(tableText(table)); b.textContent = "Copied"; } catch (e) { getSelection().selectAllChildren(table); b.textContent = "Selected: copy it"; }
    setTimeout(() => { b.textContent = "Copy the numbers"; }, 2500);
  });
  return b;
}

function compareCard() {
  const box = element("div"), table = element("table", "runs"), head = element("tr"), body = element("tbody"), top = element("thead");
  box.append(element("h2", "", "Laws kept"));
  const reference = runs[about.reference];
  for (const h of ["solver", "Sig.", "Coul.", "MDP", ...(reference ? ["off mm"] : []), "\u00B5s"]) head.append(element("th", "", h));
  top.append(head);
  runs.forEach((r, i) => {
    const s = r.about.summary, tr = element("tr"), name = element("th"), dot = element("i");
    dot.style.background = solverColours[i];
    name.append(dot, r.solver);
    tr.append(name);
    for (let k = 0; k < 3; ++k) {
      const broken = s.contacts ? s.broken[k] / s.contacts : 0, td = element("td", "", breaks(r, k) ? "\u2717" : "\u2713");
      td.style.color = breaks(r, k) ? "var(--bad)" : "var(--good)";
      td.title = show(100 * broken) + " % of the contacts";
      tr.append(td);
    }
    if (reference) tr.append(element("td", "", r === reference ? "\u2013" : offText(1e3 * apart(r, reference))));
    tr.append(element("td", "", s.timed ? show(1e6 * s.seconds / s.timed) : "\u2013"));
    body.append(tr);
  });
  table.append(top, body);
  box.append(table, copyButton(table), element("p", "hint", "\u2717 where more than one contact in a thousand breaks the law; off: how far a body strays from the reference at most; \u00B5s: time a step."));
  return box;
}

const offText = mm => mm < 0.05 ? "0" : mm < 9.95 ? mm.toFixed(1) : mm < 1e4 ? mm.toFixed(0) : mm.toExponential(0).replace("e+", "e");

// The contact's part changes while time runs, the rest only with what is chosen: it keeps its place when scrolled.
let sideKey = "", cardKey = "";
const cardHolder = element("div");
function drawSide(side, c, pinned) {
  const run = c ? c.run : runs[state.first()], key = [run.number, Boolean(c)].join(), card = c ? [c.run.number, c.index].join() : "none " + pinned;
  if (card !== cardKey || sideKey === "") {
    cardKey = card;
    if (c) cardHolder.replaceChildren(contactCard(c));
    else cardHolder.replaceChildren(element("h2", "", "Contact"), element("p", "hint", pinned ? "The chosen contact is not there at this time; Esc lets it go."
      : "Point at a contact to read it; click to keep it while time runs."));
  }
  if (key !== sideKey) {
    sideKey = key;
    const parts = [cardHolder];
    if (runs.length > 1 && !c) parts.push(compareCard());
    parts.push(modelCard(run), runCard(run));
    if (about.about) { const p = element("div"); p.append(element("h2", "", "Scene"), element("p", "", about.about)); parts.push(p); }
    side.replaceChildren(...parts);
  }
  const canvas = cardHolder.querySelector("canvas");
  const drawn = canvas && card + canvas.clientWidth + document.documentElement.dataset.theme;
  if (c && canvas && canvas.dataset.drawn !== drawn) { canvas.dataset.drawn = drawn; drawCone(canvas, c); }
}
