// A contact in words and as a picture of its friction cone, and the equations of the models: for replays and the laboratory.
const MODELS = {
  NCP: { text: "K_\u03BC \u220B \u03BB  \u22A5  \u03C3 + \u0393(\u03C3) \u2208 K_\u03BC*\n\u03C3 = (G + R) \u03BB + g\n\u0393(\u03C3) = (0, 0, \u03BC\u2016\u03C3\u209C\u2016)\nK_\u03BC = { \u03BB : \u2016\u03BB\u209C\u2016 \u2264 \u03BC \u03BB\u2099 }",
    say: "Signorini, Coulomb and maximum dissipation at once: the nonlinear problem, nothing relaxed." },
  CCP: { text: "K_\u03BC \u220B \u03BB  \u22A5  \u03C3 \u2208 K_\u03BC*\n\u03C3 = (G + R) \u03BB + g\nK_\u03BC* = { \u03C3 : \u03C3\u2099 \u2265 \u03BC\u2016\u03C3\u209C\u2016 }",
    say: "The convex relaxation leaves out \u0393: a contact that slides at v must part at \u03BC v, so it lifts off." },
  LCP: { text: "0 \u2264 \u03BB\u2099  \u22A5  \u03C3\u2099 \u2265 0\n\u03BB\u209C = argmin \u03C3\u209C\u00B7\u03BB\u209C over the pyramid\n     { \u03BB\u209C : a\u2C7C\u00B7\u03BB\u209C \u2264 \u03BC \u03BB\u2099,  j = 1\u2026k }\n\u03C3 = (G + R) \u03BB + g",
    say: "A pyramid in place of the cone: friction prefers its corners, so sliding bodies turn aside." },
  RAISIM: { text: "for each contact i, the others held:\n\u03BB\u1D62 = argmin \u00BD \u03C3\u1D62\u00B7G\u1D62\u1D62\u207B\u00B9\u03C3\u1D62\n     with \u03C3\u1D62,\u2099 = 0,  \u03BB\u1D62 \u2208 K_\u03BC\n\u03C3 = (G + R) \u03BB + g",
    say: "Signorini contact by contact; friction need not oppose the sliding, so too little is dissipated." },
  BARRIER: { text: "min over \u03BB  \u00BD \u03BB\u00B7(G + R)\u03BB + \u03BB\u00B7g + B(\u03BB)\nB: logarithmic walls, weight t, of\n   \u03BC\u03BB\u2099 > \u2016\u03BB\u209C\u2016,  \u03BB\u2099 > 0,  \u03C3\u2099 > v_min\n\u03C3 = G \u03BB + g",
    say: "A smooth convex model: forces act before contact and never quite vanish; it can be inverted." },
};
const STATE_WORDS = ["open", "sticking", "sliding"], STATE_CSS = ["--open", "--stick", "--slip"];

const element = (tag, className, text) => {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
};

const small = x => x ? x.toExponential(0).replace("-", "\u2212") : "0";

function rows(table, list) {
  for (const [name, value, unit] of list) {
    const tr = element("tr"), td = element("td", "", value);
    if (unit) td.append(element("small", "", " " + unit));
    tr.append(element("th", "", name), td);
    table.append(tr);
  }
  return table;
}

// What a contact's numbers say about each law.
function lawsOf(c) {
  const [l1, l2, ln] = c.lambda, [s1, s2, sn] = c.sigma, lt = Math.hypot(l1, l2), st = Math.hypot(s1, s2), reach = c.mu * Math.max(ln, 0);
  const angle = lt > 0 && st > 0 ? Math.acos(Math.min(1, Math.max(-1, -(l1 * s1 + l2 * s2) / (lt * st)))) * 180 / Math.PI : 0;
  const broken = k => Boolean(c.broken >> k & 1);
  return [
    { name: "Signorini", broken: broken(0), say: broken(0) ? sn < 0 ? "approaches at " + show(-sn) + " m/s" : "is pushed, and yet parts at \u03C3\u2099 = " + show(sn) + " m/s"
      : ln > 0 ? "pushes and does not part" : "no force, free to part" },
    { name: "Coulomb", broken: broken(1), say: broken(1) ? "\u2016\u03BB\u209C\u2016 is " + show(lt / (reach || 1e-30)) + " times \u03BC\u03BB\u2099: outside the cone"
      : reach > 0 ? "\u2016\u03BB\u209C\u2016 is " + show(100 * lt / reach) + " % of \u03BC\u03BB\u2099" : "no friction to speak of" },
    { name: "Maximum dissipation", broken: broken(2), say: broken(2) ? angle > 1 ? "friction is " + show(angle) + "\u00B0 off the sliding direction" : "friction is only " + show(100 * lt / (reach || 1)) + " % of what it could be"
      : c.state !== 2 ? "does not slide" : angle > 2 ? "pushes or slides too little to count" : "friction opposes the sliding" },
  ];
}

// An arrow on a 2D canvas.
function arrow2(g, x0, y0, x1, y1, colour, width = 2.2) {
  const d = Math.hypot(x1 - x0, y1 - y0);
  g.strokeStyle = g.fillStyle = colour; g.lineWidth = width;
  if (d < 2) { g.beginPath(); g.arc(x0, y0, 2.5, 0, 7); g.fill(); return; }
  const ux = (x1 - x0) / d, uy = (y1 - y0) / d, h = Math.min(9, 0.6 * d);
  g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1 - ux * h * 0.8, y1 - uy * h * 0.8); g.stroke();
  g.beginPath(); g.moveTo(x1, y1); g.lineTo(x1 - ux * h - uy * h * 0.42, y1 - uy * h + ux * h * 0.42); g.lineTo(x1 - ux * h + uy * h * 0.42, y1 - uy * h - ux * h * 0.42); g.fill();
}

// Of the picture of a cone, on a light and on a dark page.
const CONE_COLOURS = {
  light: { shades: ["#cfe0ef", "#edf4fa", "#c3d7e9"], rim: "#8fb0cc", lid: "#f5f9fc", dashes: "#7a8796", impulse: "#b5123e", nothing: "#9aa4b1",
    pyramid: "#d55e00", disc: "#eef3ee", edge: "#b5c9b8", velocity: "#0a7d62", words: "#5b6675" },
  dark: { shades: ["#263c52", "#34506b", "#21364a"], rim: "#5f86a8", lid: "#1f2f3f", dashes: "#8a95a3", impulse: "#f0699a", nothing: "#6e7a88",
    pyramid: "#f0903a", disc: "#1f2a26", edge: "#4a6353", velocity: "#3fbf8a", words: "#a3aebb" },
};

// Left: the cone, seen from the side and a little from above, with lambda in it. Right: the velocity on the tangent plane.
function drawCone(canvas, c) {
  const colours = CONE_COLOURS[document.documentElement.dataset.theme === "dark" ? "dark" : "light"];
  const ratio = Math.min(2, window.devicePixelRatio || 1), W = canvas.clientWidth || 280, H = canvas.clientHeight || 172;
  canvas.width = W * ratio; canvas.height = H * ratio;
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  const tilt = 0.36, [l1, l2, ln] = c.lambda, [s1, s2, sn] = c.sigma, lt = Math.hypot(l1, l2), mu = Math.min(c.mu, 3), foot = [W * 0.29, H - 38];
  const unit = Math.min((H - 50) / Math.max(ln * (1 + tilt * mu), 1e-30), 0.25 * W / Math.max(mu * ln, lt, 1e-30));
  // Turned about the normal so that friction lies in the picture's plane
  const a = Math.atan2(l2, l1) * (lt > 1e-6 * ln ? 1 : 0), cs = Math.cos(a), sn2 = Math.sin(a);
  const at = (x, y, z, o) => [o[0] + x * cs + y * sn2, o[1] - z - tilt * (-x * sn2 + y * cs)];
  const ring = (o, z, r, from, to) => { g.ellipse(o[0], o[1] - z, r, r * tilt, 0, from, to); };
  g.lineWidth = 1;
  if (ln > 0) {
    const h = unit * ln, r = unit * mu * ln;
    const shade = g.createLinearGradient(foot[0] - r, 0, foot[0] + r, 0);
    colours.shades.forEach((colour, i) => shade.addColorStop(i / 2, colour));
    g.fillStyle = shade; g.strokeStyle = colours.rim;
    g.beginPath(); g.moveTo(foot[0], foot[1]); g.lineTo(foot[0] - r, foot[1] - h); ring(foot, h, r, Math.PI, 0); g.closePath(); g.fill(); g.stroke();
    g.fillStyle = colours.lid; g.beginPath(); ring(foot, h, r, 0, 7); g.fill(); g.stroke();
    if (c.run.about.model === "LCP") {
      // the pyramid's section, in the contact's own axes
      const k = c.run.about.facets || 4, out = r / Math.cos(Math.PI / k);
      g.strokeStyle = colours.pyramid; g.setLineDash([4, 3]); g.beginPath();
      for (let i = 0; i <= k; ++i) { const b = 2 * Math.PI * (i + 0.5) / k, p = at(out * Math.cos(b), out * Math.sin(b), h, foot); if (i) g.lineTo(...p); else g.moveTo(...p); }
      g.stroke(); g.setLineDash([]);
    }
    const middle = at(0, 0, h, foot), end = at(unit * l1, unit * l2, h, foot);
    g.strokeStyle = colours.dashes; g.setLineDash([3, 3]);
    g.beginPath(); g.moveTo(...foot); g.lineTo(...middle); g.lineTo(...end); g.stroke(); g.setLineDash([]);
    arrow2(g, ...foot, ...end, colours.impulse, 2.6);
  } else arrow2(g, ...foot, ...foot, colours.nothing);
  const o = [W * 0.76, H - 66], speed = Math.hypot(s1, s2, sn), R = W * 0.17, u = speed > 1e-9 ? R / Math.max(speed, 1e-30) : 0;
  g.fillStyle = colours.disc; g.strokeStyle = colours.edge; g.lineWidth = 1;
  g.beginPath(); ring(o, 0, R, 0, 7); g.fill(); g.stroke();
  if (lt > 0 && ln > 0) { const e = at(R * l1 / lt, R * l2 / lt, 0, o); g.setLineDash([3, 3]); g.strokeStyle = colours.impulse + "88"; g.beginPath(); g.moveTo(...o); g.lineTo(...e); g.stroke(); g.setLineDash([]); }
  const flat = at(u * s1, u * s2, 0, o), tip = at(u * s1, u * s2, u * sn, o);
  g.strokeStyle = colours.velocity + "66"; g.beginPath(); g.moveTo(...flat); g.lineTo(...tip); g.stroke();
  arrow2(g, ...o, ...tip, colours.velocity, 2.4);
  g.font = "11px system-ui, sans-serif"; g.textAlign = "center"; g.fillStyle = colours.words;
  g.fillText("\u03BB in the cone, \u03BC = " + show(c.mu), W * 0.29, H - 12);
  g.fillText(speed > 1e-9 ? "\u03C3, " + show(speed) + " m/s" : "\u03C3 = 0", W * 0.76, H - 12);
}
