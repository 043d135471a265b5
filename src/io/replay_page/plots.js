// Curves over time under the scene: drawn once into a picture of their own, the cursor on top of it.
const CURVE = { kinetic: 0, potential: 1, normal: 2, tangent: 3, residual: 4, penetration: 5, contacts: 6, iterations: 7 };
const CURVE_COLOURS = ["#0072b2", "#d55e00", "#333c4a"];

// How far the trees' first bodies are from where the reference has them, on average [m].
function deviationOf(run, reference) {
  const roots = about.bodies.map((b, i) => b.up === 0 ? i : -1).filter(i => i >= 0).slice(0, 200);
  const out = new Float32Array(run.nf), a = new Float32Array(7), b = new Float32Array(7 * reference.nb);
  for (let f = 0; f < run.nf; ++f) {
    let sum = 0;
    posesAt(reference, run.time[f], b);
    for (const i of roots) {
      poseAtFrame(run, i, f, a, 0);
      sum += Math.hypot(a[0] - b[7 * i], a[1] - b[7 * i + 1], a[2] - b[7 * i + 2]);
    }
    out[f] = roots.length ? sum / roots.length : 0;
  }
  return out;
}

// Positions are kept to 16 bits of the box that a body stays in: smaller distances mean nothing.
const poseStep = Math.max(1e-7, ...runs.map(r => r.box.reduce((most, x, i) => i % 6 > 2 ? Math.max(most, x) : most, 0) / 65535));

function plotList() {
  const many = runs.length > 1, reference = about.reference >= 0 ? runs[about.reference] : null;
  const floor = Math.min(...runs.map(r => r.curves[CURVE.potential].reduce((a, b) => Math.min(a, b), Infinity)));
  const potential = r => r.curves[CURVE.potential].map(x => x - floor);
  const total = r => r.curves[CURVE.kinetic].map((x, i) => x + r.curves[CURVE.potential][i] - floor);
  const each = f => runs.map((r, i) => ({ run: r, name: r.solver, y: f(r), colour: solverColours[i] }));
  const energy = many ? each(total) : [
    { run: runs[0], name: "kinetic", y: runs[0].curves[CURVE.kinetic], colour: CURVE_COLOURS[0] },
    { run: runs[0], name: "potential", y: potential(runs[0]), colour: CURVE_COLOURS[1] },
    { run: runs[0], name: "sum", y: total(runs[0]), colour: CURVE_COLOURS[2] }];
  const force = many ? each(r => r.curves[CURVE.normal]) : [
    { run: runs[0], name: "normal", y: runs[0].curves[CURVE.normal], colour: CURVE_COLOURS[0] },
    { run: runs[0], name: "friction", y: runs[0].curves[CURVE.tangent], colour: CURVE_COLOURS[1] }];
  const list = [{ title: many ? "Energy" : "Energy", unit: "J", series: energy }];
  if (many && reference)
    list.push({ title: "Distance from " + reference.solver, unit: "m", log: true, least: poseStep, series: each(r => deviationOf(r, reference)).filter(s => s.run !== reference) });
  else list.push({ title: "Contact forces", unit: "N", series: force });
  list.push({ title: "Residual of the NCP", unit: "", log: true, series: each(r => r.curves[CURVE.residual]).map(s => many ? s : { ...s, name: "\u03B5 max", colour: CURVE_COLOURS[2] }) });
  return list;
}

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// Lines that are nearly black are nearly white on a dark page.
const lineColour = c => document.documentElement.dataset.theme === "dark" && (c === "#333c4a" || c === "#2b3442") ? "#d5dde6" : c;

// A box for a plot, with a button that saves it as SVG. `paint` draws it on a context of that size.
function plotBox(holder, title, paint) {
  const canvas = document.createElement("canvas"), box = document.createElement("div"), save = document.createElement("button");
  box.className = "plot";
  save.textContent = "SVG";
  save.title = "this plot as an SVG file";
  save.setAttribute("aria-label", "save " + title + " as SVG");
  box.append(canvas, save);
  holder.append(box);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", title);
  const svg = () => { const pen = new SvgPen(560, 300, css("--card")); paint(pen, 560, 300); return pen.text(); };
  save.addEventListener("click", () => saveFile(title.toLowerCase().replace(/[^a-z0-9]+/g, "-") + ".svg", "image/svg+xml", svg()));
  return { canvas, box, svg };
}

function createPlot(about1, holder, seek) {
  const picture = document.createElement("canvas"), { canvas, box, svg } = plotBox(holder, about1.title, (g, w, h) => { paint(g, w, h); plot.drawn = ""; });
  const plot = { about: about1, canvas, svg, drawn: "" };
  let area = null;

  const visible = () => about1.series.filter(s => runs.length === 1 || state.on[s.run.number]);
  const measure = y => about1.log ? (y > (about1.least || 0) ? Math.log10(y) : NaN) : y;

  function range(series) {
    let lo = Infinity, hi = -Infinity;
    for (const s of series) for (const y of s.y) { const m = measure(y); if (m < lo) lo = m; if (m > hi) hi = m; }
    if (!isFinite(lo)) return about1.log ? [-9, 0] : [0, 1];
    if (about1.log) { lo = Math.max(Math.floor(lo), -20); hi = Math.ceil(hi); return hi - lo < 2 ? [lo - 1, hi + 1] : [lo, hi]; }
    if (lo > 0 && lo < 0.6 * hi) lo = 0;
    const air = (hi - lo) * 0.06 || Math.abs(hi) * 0.1 || 1;
    return [lo === 0 ? 0 : lo - air, hi + air];
  }

  function paint(g, width, height) {
    const series = visible();
    g.clearRect(0, 0, width, height);
    g.font = "11px system-ui, sans-serif";
    const [lo, hi] = range(series);
    plot.low = width < 340 && series.length > 1 && series.length <= 4;       // no room for names beside the title: beneath it
    const top = plot.low ? 38 : 24;
    area = { x: 46, y: top, w: width - 58, h: height - 20 - top, lo, hi };
    const X = t => area.x + area.w * t / (lastTime || 1), Y = m => area.y + area.h * (1 - (m - lo) / (hi - lo));
    plot.X = X; plot.Y = Y;
    g.strokeStyle = css("--grid"); g.fillStyle = css("--axis"); g.lineWidth = 1;
    const step = about1.log ? Math.max(1, Math.ceil((hi - lo) / Math.max(2, area.h / 22))) : niceStep(hi - lo, Math.max(2, Math.floor(area.h / 26)));
    g.textAlign = "right"; g.textBaseline = "middle";
    for (let m = Math.ceil(lo / step - 1e-6) * step; m <= hi + step * 1e-6; m += step) {
      const y = Math.round(Y(m)) + 0.5;
      g.beginPath(); g.moveTo(area.x, y); g.lineTo(area.x + area.w, y); g.stroke();
      g.fillText(about1.log ? "1e" + Math.round(m) : tickText(Math.abs(m) < step / 1e3 ? 0 : Number(m.toPrecision(10))), area.x - 6, y);
    }
    const tick = niceStep(lastTime || 1, Math.max(2, Math.floor(area.w / 60)));
    g.textAlign = "center"; g.textBaseline = "top";
    for (let t = 0; t <= lastTime * 1.0001; t += tick) g.fillText(show(Number(t.toPrecision(6)), 4) + (t === 0 ? " s" : ""), X(t), area.y + area.h + 5);
    g.save();
    g.beginPath(); g.rect(area.x, area.y - 2, area.w + 1, area.h + 4); g.clip();
    for (const s of series) {
      g.strokeStyle = lineColour(s.colour); g.lineWidth = runs.length > 1 && s.run.number === about.reference ? 2.4 : 1.5; g.lineJoin = "round";
      g.beginPath();
      let open = false, column = -1, low = 0, high = 0;
      for (let i = 0; i < s.y.length; ++i) {
        const m = measure(s.y[i]);
        if (!isFinite(m)) { open = false; continue; }
        const x = X(s.run.time[i]), y = Y(m);
        if (open && x - column < 0.5) { if (y < low || y > high) g.lineTo(column, y); low = Math.min(low, y); high = Math.max(high, y); continue; }
        if (open) g.lineTo(x, y); else g.moveTo(x, y);
        open = true; column = x; low = high = y;
      }
      g.stroke();
    }
    g.restore();
    g.textAlign = "left"; g.textBaseline = "middle";
    g.fillStyle = css("--ink"); g.font = "600 12px system-ui, sans-serif";
    const head = about1.title + (about1.unit ? " [" + about1.unit + "]" : "");
    g.fillText(head, 10, 12);
    plot.headWidth = g.measureText(head).width + 22;
  }

  // Names and values at the cursor, as many as there is room for.
  function legend(g, width, t) {
    let x = plot.low ? 10 : plot.headWidth;
    const y = plot.low ? 27 : 12;
    g.font = "11px system-ui, sans-serif"; g.textAlign = "left"; g.textBaseline = "middle";
    const series = visible();
    if (series.length > 4) return;
    for (const s of series) {
      const { frame } = frameAt(s.run, t), text = s.name + " " + show(s.y[frame], 3), w = g.measureText(text).width + 24;
      if (x + w > width - (plot.low ? -12 : 34)) return;
      g.fillStyle = lineColour(s.colour); g.fillRect(x, y - 1, 10, 2.5);
      g.fillStyle = css("--soft"); g.fillText(text, x + 14, y);
      x += w;
    }
  }

  plot.draw = t => {
    const width = box.clientWidth, height = box.clientHeight, ratio = Math.min(2, window.devicePixelRatio || 1);
    if (!width || !height) return;
    const key = [width, height, ratio, state.on.join(), document.documentElement.dataset.theme].join(" ");
    if (key !== plot.drawn) {
      plot.drawn = key;
      picture.width = canvas.width = Math.round(width * ratio);
      picture.height = canvas.height = Math.round(height * ratio);
      const g = picture.getContext("2d");
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      paint(g, width, height);
    }
    const g = canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, canvas.width, canvas.height);
    g.drawImage(picture, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = plot.X(t);
    g.strokeStyle = css("--accent"); g.lineWidth = 1;
    g.beginPath(); g.moveTo(x, area.y - 2); g.lineTo(x, area.y + area.h); g.stroke();
    for (const s of visible()) {
      const { frame } = frameAt(s.run, t), m = measure(s.y[frame]);
      if (!isFinite(m)) continue;
      g.fillStyle = lineColour(s.colour);
      g.beginPath(); g.arc(x, plot.Y(m), 2.8, 0, 7); g.fill();
    }
    legend(g, width, t);
  };

  const timeOf = e => { const r = canvas.getBoundingClientRect(); return Math.min(1, Math.max(0, (e.clientX - r.left - area.x) / area.w)) * lastTime; };
  canvas.addEventListener("pointerdown", e => { if (area) { canvas.setPointerCapture(e.pointerId); seek(timeOf(e)); } });
  canvas.addEventListener("pointermove", e => { if (area && canvas.hasPointerCapture(e.pointerId)) seek(timeOf(e)); });
  return plot;
}

// ---- contacts by link --------------------------------------------------------------------------------------------------
// A strip over time for each link that touches something, of the eight that touch longest: blue where all its contacts
// stick, orange where one slides, a red line beneath where one breaks a law. Of a quadruped these are its feet.
const MOST_STRIPS = 8;
function stripsOf(run) {
  if (run.strips) return run.strips;
  const found = new Map();
  for (let f = 0; f < run.nf; ++f)
    for (let i = run.start[f]; i < run.start[f + 1]; ++i) {
      const state1 = run.byte[3][i] & 3;
      if (state1 === 0) continue;
      for (const collider of [run.column[0][i], run.column[1][i]]) {
        const [, link, body] = about.colliders[collider] || ["", "", 0];
        if (body === 0) continue;
        if (!found.has(link)) found.set(link, { link, body, cells: new Uint8Array(run.nf), touched: 0 });
        const s = found.get(link);
        if (!s.cells[f]) ++s.touched;
        s.cells[f] = Math.max(s.cells[f] & 3, state1) | (s.cells[f] & 4) | (run.byte[3][i] >> 2 ? 4 : 0);
      }
    }
  const kept = [...found.values()].sort((a, b) => b.touched - a.touched).slice(0, MOST_STRIPS).sort((a, b) => a.body - b.body);
  run.strips = kept;
  return kept;
}
function createStrips(holder, seek) {
  const shown = () => runs[state.first()], picture = document.createElement("canvas");
  const { canvas, box, svg } = plotBox(holder, "Contacts by link", (g, w, h) => { paint(g, w, h); plot.drawn = ""; });
  const plot = { about: { title: "Contacts by link", series: [] }, canvas, svg, drawn: "" };
  let area = null;

  function paint(g, width, height) {
    const run = shown(), strips = stripsOf(run), colour = [null, css("--stick"), css("--slip")], row = Math.min(26, (height - 48) / Math.max(1, strips.length));
    g.clearRect(0, 0, width, height);
    g.textAlign = "left"; g.textBaseline = "middle"; g.fillStyle = css("--ink"); g.font = "600 12px system-ui, sans-serif";
    g.fillText("Contacts by link" + (runs.length > 1 ? ", " + run.solver : ""), 10, 12);
    g.font = "11px system-ui, sans-serif"; g.lineWidth = 1;
    const left = Math.min(0.36 * width, 14 + Math.max(30, ...strips.map(s => g.measureText(s.link).width)));
    area = { x: left, y: 26, w: width - left - 12, h: row * strips.length };
    const X = t => area.x + area.w * t / (lastTime || 1);
    plot.X = X;
    if (!strips.length) { g.fillStyle = css("--soft"); g.fillText("nothing touches", 10, 40); }
    strips.forEach((s, k) => {
      const y = area.y + k * row, h = Math.max(2, row - 6);
      g.fillStyle = css("--grid"); g.fillRect(area.x, y, area.w, h);
      g.fillStyle = css("--soft"); g.textAlign = "right"; g.textBaseline = "middle";
      let name = s.link;
      while (name.length > 3 && g.measureText(name).width > left - 12) name = name.slice(0, -2) + "\u2026";
      g.fillText(name, area.x - 6, y + h / 2);
      for (let f = 0; f < run.nf; ) {
        let to = f + 1;
        while (to < run.nf && s.cells[to] === s.cells[f]) ++to;
        const x = X(run.time[f]), w = Math.max(0.7, X(to < run.nf ? run.time[to] : run.time[run.nf - 1]) - x), c = colour[s.cells[f] & 3];
        if (c) { g.fillStyle = c; g.fillRect(x, y, w, h); }
        if (s.cells[f] & 4) { g.fillStyle = css("--bad"); g.fillRect(x, y + h - 2, w, 3); }
        f = to;
      }
    });
    const tick = niceStep(lastTime || 1, Math.max(2, Math.floor(area.w / 60)));
    g.fillStyle = css("--axis"); g.textAlign = "center"; g.textBaseline = "top";
    for (let t = 0; t <= lastTime * 1.0001; t += tick) g.fillText(show(Number(t.toPrecision(6)), 4) + (t === 0 ? " s" : ""), X(t), area.y + area.h + 4);
  }
  plot.draw = t => {
    const width = box.clientWidth, height = box.clientHeight, ratio = Math.min(2, window.devicePixelRatio || 1);
    if (!width || !height) return;
    const key = [width, height, ratio, shown().number, document.documentElement.dataset.theme].join(" ");
    if (key !== plot.drawn) {
      plot.drawn = key;
      picture.width = canvas.width = Math.round(width * ratio);
      picture.height = canvas.height = Math.round(height * ratio);
      const g = picture.getContext("2d");
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      paint(g, width, height);
    }
    const g = canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, canvas.width, canvas.height);
    g.drawImage(picture, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.strokeStyle = css("--accent"); g.lineWidth = 1;
    g.beginPath(); g.moveTo(plot.X(t), area.y - 3); g.lineTo(plot.X(t), area.y + area.h + 1); g.stroke();
  };
  const timeOf = e => { const r = canvas.getBoundingClientRect(); return Math.min(1, Math.max(0, (e.clientX - r.left - area.x) / area.w)) * lastTime; };
  canvas.addEventListener("pointerdown", e => { if (area) { canvas.setPointerCapture(e.pointerId); seek(timeOf(e)); } });
  canvas.addEventListener("pointermove", e => { if (area && canvas.hasPointerCapture(e.pointerId)) seek(timeOf(e)); });
  return plot;
}
