// Three plots beneath the picture: the residual against the iterations of the last step, the energy, and the residual
// of each step over time.
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const PLOTS = [
  { id: "iterations", title: "Residual by iteration", log: true, unit: "", x: "iteration" },
  { id: "energy", title: "Energy", log: false, unit: "J", x: "s" },
  { id: "residual", title: "NCP residual of each step", log: true, unit: "", x: "s" }];

function seriesOf(plot) {
  return lab.panels.map(p => {
    if (plot.id === "iterations") {
      const h = p.history, first = h ? h.call[0] : 0;
      return { panel: p, points: h ? Array.from(h.eps, (e, i) => [i + 1, e, h.call[i] !== (i ? h.call[i - 1] : first)]) : [] };
    }
    const t = p.traces;
    return { panel: p, points: t.map(s => [s.t, plot.id === "energy" ? s.energy - lab.floor : s.residual, false]) };
  });
}

function paintPlot(plot, g, width, height) {
  const series = seriesOf(plot), measure = y => plot.log ? (y > 0 ? Math.log10(y) : NaN) : y;
  let lo = Infinity, hi = -Infinity, x0 = Infinity, x1 = -Infinity;
  for (const s of series) for (const [x, y] of s.points) { const m = measure(y); if (isFinite(m)) { lo = Math.min(lo, m); hi = Math.max(hi, m); } x0 = Math.min(x0, x); x1 = Math.max(x1, x); }
  if (!isFinite(lo)) { lo = plot.log ? -9 : 0; hi = plot.log ? 0 : 1; }
  if (!isFinite(x0)) { x0 = 0; x1 = 1; }
  if (plot.id !== "iterations") x0 = Math.max(x0, x1 - 20);
  if (x1 - x0 < 1e-9) x1 = x0 + 1;
  if (plot.log) { lo = Math.max(-18, Math.floor(lo)); hi = Math.ceil(hi); if (hi - lo < 2) { lo -= 1; hi += 1; } }
  else { if (lo > 0 && lo < 0.6 * hi) lo = 0; const air = 0.06 * (hi - lo) || 0.1 * Math.abs(hi) || 1; hi += air; if (lo !== 0) lo -= air; }
  const a = { x: 46, y: 26, w: width - 58, h: height - 46 }, X = x => a.x + a.w * (x - x0) / (x1 - x0), Y = m => a.y + a.h * (1 - (m - lo) / (hi - lo));
  g.clearRect(0, 0, width, height);
  g.font = "11px system-ui, sans-serif"; g.lineWidth = 1; g.strokeStyle = css("--grid"); g.fillStyle = css("--axis");
  g.textAlign = "right"; g.textBaseline = "middle";
  const step = plot.log ? Math.max(1, Math.ceil((hi - lo) / Math.max(2, a.h / 22))) : niceStep(hi - lo, Math.max(2, Math.floor(a.h / 26)));
  for (let m = Math.ceil(lo / step - 1e-6) * step; m <= hi + step * 1e-6; m += step) {
    const y = Math.round(Y(m)) + 0.5;
    g.beginPath(); g.moveTo(a.x, y); g.lineTo(a.x + a.w, y); g.stroke();
    g.fillText(plot.log ? "1e" + Math.round(m) : tickText(Math.abs(m) < step / 1e3 ? 0 : Number(m.toPrecision(10))), a.x - 6, y);
  }
  const tick = Math.max(plot.id === "iterations" ? 1 : 0, niceStep(x1 - x0, Math.max(2, Math.floor(a.w / 60))));
  g.textAlign = "center"; g.textBaseline = "top";
  for (let t = Math.ceil(x0 / tick - 1e-9) * tick; t <= x1 + 1e-9 * tick; t += tick) g.fillText(show(Number(t.toPrecision(6)), 4), X(t), a.y + a.h + 5);
  g.save();
  g.beginPath(); g.rect(a.x, a.y - 2, a.w + 1, a.h + 4); g.clip();
  for (const s of series) {
    g.strokeStyle = s.panel.colour; g.lineWidth = 1.6;
    g.beginPath();
    let open = false;
    for (const [x, y, fresh] of s.points) {
      const m = measure(y);
      if (!isFinite(m) || x < x0) { open = false; continue; }
      if (open && !fresh) g.lineTo(X(x), Y(m)); else g.moveTo(X(x), Y(m));
      open = true;
    }
    g.stroke();
    if (plot.id === "iterations" && s.points.length) {
      const [x, y] = s.points[s.points.length - 1], m = measure(y);
      if (isFinite(m)) { g.fillStyle = s.panel.colour; g.beginPath(); g.arc(X(x), Y(m), 2.8, 0, 7); g.fill(); }
    }
  }
  g.restore();
  if (plot.log && lab.panels[0]) {
    const tol = Math.log10(lab.panels[0].engine.x.lab_get(SET.tol));
    if (tol > lo && tol < hi) { g.strokeStyle = css("--axis"); g.lineWidth = 1; g.setLineDash([4, 4]); g.beginPath(); g.moveTo(a.x, Y(tol)); g.lineTo(a.x + a.w, Y(tol)); g.stroke(); g.setLineDash([]); g.fillStyle = css("--axis"); g.textAlign = "right"; g.textBaseline = "middle"; g.fillText("tolerance", a.x + a.w - 3, Y(tol) - 8); }
  }
  g.textAlign = "left"; g.textBaseline = "middle"; g.fillStyle = css("--ink"); g.font = "600 12px system-ui, sans-serif";
  g.fillText(plot.title + (plot.unit ? " [" + plot.unit + "]" : ""), 10, 13);
}

function createCurves() {
  for (const plot of PLOTS) {
    const box = element("div", "plot"), canvas = element("canvas"), save = element("button", "", "SVG");
    canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", plot.title);
    save.title = "this plot as an SVG file"; save.setAttribute("aria-label", "save " + plot.title + " as SVG");
    save.addEventListener("click", () => saveFile("lab-" + plot.id + ".svg", "image/svg+xml", plotSvg(plot)));
    box.append(canvas, save);
    by("plots").append(box);
    Object.assign(plot, { box, canvas });
  }
}
function plotSvg(plot) { const pen = new SvgPen(560, 300, css("--card")); paintPlot(plot, pen, 560, 300); return pen.text(); }
function drawCurves() {
  const k = Math.min(2, window.devicePixelRatio || 1);
  for (const p of PLOTS) {
    const w = p.box.clientWidth, h = p.box.clientHeight;
    if (!w || !h) continue;
    if (p.canvas.width !== Math.round(w * k) || p.canvas.height !== Math.round(h * k)) { p.canvas.width = Math.round(w * k); p.canvas.height = Math.round(h * k); }
    const g = p.canvas.getContext("2d");
    g.setTransform(k, 0, 0, k, 0, 0);
    paintPlot(p, g, w, h);
  }
}
