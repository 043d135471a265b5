// Axes of plots, and a pen that writes SVG: for replays and for the laboratory.
function niceStep(span, most) {
  const rough = span / most, power = 10 ** Math.floor(Math.log10(rough)), m = rough / power;
  return power * (m <= 1.0001 ? 1 : m <= 2.0001 ? 2 : m <= 5.0001 ? 5 : 10);
}

// Ticks are short: 20k, 1.5M, 2e9.
function tickText(x) {
  const a = Math.abs(x);
  if (a >= 1e9) return x.toExponential(0).replace("e+", "e");
  return a >= 1e6 ? show(x / 1e6) + "M" : a >= 1e4 ? show(x / 1e3) + "k" : show(x, 4);
}

// What a plot needs of a canvas' context, written down as SVG.
class SvgPen {
  constructor(width, height, background) {
    Object.assign(this, { width, height, parts: [], path: "", strokeStyle: "#000", fillStyle: "#000", lineWidth: 1, font: "11px sans-serif", textAlign: "left", textBaseline: "middle", dash: "", clips: 0 });
    this.parts.push(`<rect width="${width}" height="${height}" fill="${background}"/>`);
  }
  static number(x) { return String(Math.round(100 * x) / 100); }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${SvgPen.number(x)} ${SvgPen.number(y)}`; }
  lineTo(x, y) { this.path += `L${SvgPen.number(x)} ${SvgPen.number(y)}`; }
  rect(x, y, w, h) { this.box = [x, y, w, h].map(SvgPen.number); }
  arc(x, y, r) { this.path += `M${SvgPen.number(x - r)} ${SvgPen.number(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`; }
  stroke() { if (this.path) this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" stroke-linejoin="round"${this.dash ? ` stroke-dasharray="${this.dash}"` : ""}/>`); }
  fill() { if (this.path) this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}"/>`); }
  fillRect(x, y, w, h) { this.parts.push(`<rect x="${SvgPen.number(x)}" y="${SvgPen.number(y)}" width="${SvgPen.number(w)}" height="${SvgPen.number(h)}" fill="${this.fillStyle}"/>`); }
  clip() { const [x, y, w, h] = this.box; this.parts.push(`<clipPath id="c${++this.clips}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath><g clip-path="url(#c${this.clips})">`); }
  save() { }
  restore() { this.parts.push("</g>"); }
  setLineDash(list) { this.dash = list.join(" "); }
  setTransform() { }
  clearRect() { }
  measureText(text) { return { width: 0.56 * parseFloat(this.font.match(/([\d.]+)px/)[1]) * text.length }; }
  fillText(text, x, y) {
    const size = this.font.match(/([\d.]+)px/)[1], weight = /^\d{3} /.test(this.font) ? ` font-weight="${this.font.slice(0, 3)}"` : "";
    const anchor = { left: "start", right: "end", center: "middle" }[this.textAlign], shift = { middle: 0.35, top: 0.8, alphabetic: 0 }[this.textBaseline] || 0;
    const escaped = String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");
    this.parts.push(`<text x="${SvgPen.number(x)}" y="${SvgPen.number(y + shift * size)}" font-size="${size}"${weight} text-anchor="${anchor}" fill="${this.fillStyle}">${escaped}</text>`);
  }
  text() { return `<svg xmlns="${document.querySelector("svg").namespaceURI}" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" font-family="system-ui, sans-serif">\n${this.parts.join("\n")}\n</svg>\n`; }
}

// Hands a file to the user.
function saveFile(name, type, content) {
  const a = document.createElement("a"), url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
