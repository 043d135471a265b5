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

function createPlot(about1, holder, seek) {
  const canvas = document.createElement("canvas"), box = document.createElement("div"), picture = document.createElement("canvas");
  box.className = "plot";
  box.append(canvas);
  holder.append(box);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", about1.title);
  const plot = { about: about1, canvas, drawn: "" };
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

  function paint(width, height, ratio) {
    picture.width = canvas.width = Math.round(width * ratio);
    picture.height = canvas.height = Math.round(height * ratio);
    const g = picture.getContext("2d"), series = visible();
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = "11px system-ui, sans-serif";
    const [lo, hi] = range(series);
    area = { x: 46, y: 24, w: width - 58, h: height - 44, lo, hi };
    const X = t => area.x + area.w * t / (lastTime || 1), Y = m => area.y + area.h * (1 - (m - lo) / (hi - lo));
    plot.X = X; plot.Y = Y;
    g.strokeStyle = "#e6eaef"; g.fillStyle = "#7b8694"; g.lineWidth = 1;
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
      g.strokeStyle = s.colour; g.lineWidth = runs.length > 1 && s.run.number === about.reference ? 2.4 : 1.5; g.lineJoin = "round";
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
    g.fillStyle = "#1d2530"; g.font = "600 12px system-ui, sans-serif";
    const head = about1.title + (about1.unit ? " [" + about1.unit + "]" : "");
    g.fillText(head, 10, 12);
    plot.headWidth = g.measureText(head).width + 22;
  }

  // Names and values at the cursor, as many as there is room for.
  function legend(g, width, t) {
    let x = plot.headWidth;
    g.font = "11px system-ui, sans-serif"; g.textAlign = "left"; g.textBaseline = "middle";
    const series = visible();
    if (series.length > 4) return;
    for (const s of series) {
      const { frame } = frameAt(s.run, t), text = s.name + " " + show(s.y[frame], 3), w = g.measureText(text).width + 24;
      if (x + w > width) return;
      g.fillStyle = s.colour; g.fillRect(x, 11, 10, 2.5);
      g.fillStyle = "#5b6675"; g.fillText(text, x + 14, 12);
      x += w;
    }
  }

  plot.draw = t => {
    const width = box.clientWidth, height = box.clientHeight, ratio = Math.min(2, window.devicePixelRatio || 1);
    if (!width || !height) return;
    const key = [width, height, ratio, state.on.join()].join(" ");
    if (key !== plot.drawn) { plot.drawn = key; paint(width, height, ratio); }
    const g = canvas.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, canvas.width, canvas.height);
    g.drawImage(picture, 0, 0);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = plot.X(t);
    g.strokeStyle = "#0b63a5"; g.lineWidth = 1;
    g.beginPath(); g.moveTo(x, area.y - 2); g.lineTo(x, area.y + area.h); g.stroke();
    for (const s of visible()) {
      const { frame } = frameAt(s.run, t), m = measure(s.y[frame]);
      if (!isFinite(m)) continue;
      g.fillStyle = s.colour;
      g.beginPath(); g.arc(x, plot.Y(m), 2.8, 0, 7); g.fill();
    }
    legend(g, width, t);
  };

  const timeOf = e => { const r = canvas.getBoundingClientRect(); return Math.min(1, Math.max(0, (e.clientX - r.left - area.x) / area.w)) * lastTime; };
  canvas.addEventListener("pointerdown", e => { if (area) { canvas.setPointerCapture(e.pointerId); seek(timeOf(e)); } });
  canvas.addEventListener("pointermove", e => { if (area && canvas.hasPointerCapture(e.pointerId)) seek(timeOf(e)); });
  return plot;
}
