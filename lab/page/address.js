// The address: scene and settings behind the # (docs/lab.md lists the keys).
const NUMBER_KEYS = { mu: [0, 10], e: [0, 1], compliance: [0, 1], dt: [1e-6, 0.1], gravity: [-10, 10], tol: [1e-15, 10], iters: [0, 100000], erp: [0, 1], warm: [0, 1] };
const SHOWN = ["contacts", "forces", "cones", "frames", "shadows"], TABS = ["settings", "laws", "contact", "curves", "about"];

const toBase64 = bytes => { let s = ""; for (let i = 0; i < bytes.length; i += 4096) s += String.fromCharCode(...bytes.subarray(i, i + 4096)); return btoa(s).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""); };
const fromBase64 = text => { const s = text.replace(/-/g, "+").replace(/_/g, "/"); return bytesOf(s + "===".slice((s.length + 3) % 4)); };
const squeeze = async (bytes, Stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new Stream("deflate-raw"))).arrayBuffer());

function wrong(key, value, wanted) { return new Error(`the address has ${key}=${value}: expected ${wanted}`); }

function numberIn(key, text, lo, hi) {
  const x = Number(text);
  if (text.trim() === "" || !(x >= lo && x <= hi)) throw wrong(key, text, `a number from ${lo} to ${hi}`);
  return x;
}
function solverIn(text) {
  const id = text.trim();
  if (id === "scene" || registry.solvers.some(s => s.id === id) || (id.startsWith("like:") && registry.engines.split(" ").includes(id.slice(5)))) return id;
  throw wrong("solver", id, `'scene', 'like:' and one of ${registry.engines}, or one of ${registry.solvers.map(s => s.id).join(" ")}`);
}

// What the text behind the # asks for. Throws what is wrong with it.
function readAddress(hash) {
  const ask = new URLSearchParams(hash.replace(/^#/, "")), scene = ask.get("scene") || (ask.has("files") ? "" : "quad_trot"), own = SPECIAL.get(scene) || {};
  const get = key => ask.has(key) ? ask.get(key) : own[key], w = { scene, settings: {}, links: new Map(), files: ask.get("files"), state: ask.get("state") };
  if (scene && !ask.has("files") && !hasModel(scene)) throw wrong("scene", scene, "one of " + Object.keys(MODELS_TEXT).map(p => p.replace(/^models\//, "").replace(/\.xml$/, "")).join(" "));
  w.solvers = (get("solver") || "scene").split(",").map(solverIn);
  if (w.solvers.length > 4) throw wrong("solver", get("solver"), "at most four");
  for (const key in NUMBER_KEYS) if (get(key) !== undefined && get(key) !== null) w.settings[key] = numberIn(key, get(key), ...NUMBER_KEYS[key]);
  for (const part of (get("mass") || "").split(",").filter(Boolean)) {
    const at = part.lastIndexOf(":");
    if (at < 0) w.settings.mass = numberIn("mass", part, 1e-6, 1e6);
    else w.links.set(part.slice(0, at), numberIn("mass", part.slice(at + 1), 1e-6, 1e6));
  }
  if (get("trot")) {
    w.trot = get("trot").split(",").map(x => numberIn("trot", x, -10, 10));
    while (w.trot.length < 3) w.trot.push(0);
  }
  w.drops = (ask.get("drop") || "").split(";").filter(Boolean).map(d => { const n = d.split(",").map(x => numberIn("drop", x, -1e6, 1e6)); if (n.length !== 4 || !(n[3] > 0)) throw wrong("drop", d, "x,y,z,side"); return n; });
  w.speed = ask.has("speed") ? numberIn("speed", ask.get("speed"), 0.001, 10) : 1;
  w.t = ask.has("t") ? numberIn("t", ask.get("t"), 0, 20) : 0;
  w.play = ask.has("play") ? ask.get("play") !== "0" : !(w.t > 0) && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  w.show = ask.has("show") ? ask.get("show").split(",") : null;
  w.tab = TABS.includes(ask.get("tab")) ? ask.get("tab") : null;
  for (const k of ["contact", "yaw", "pitch", "zoom"]) if (ask.has(k)) w[k] = numberIn(k, ask.get(k), -1e4, 1e4);
  w.follow = ask.has("follow") ? ask.get("follow") === "1" : null;
  w.theme = ask.get("theme");
  return w;
}

const short = x => String(Number(Number(x).toPrecision(9)));

// The address of what is on the page now; with the state, of this very moment.
async function writeAddress(withState) {
  const p = [], add = (key, value) => p.push(key + "=" + encodeURIComponent(value).replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/").replace(/%3B/g, ";"));
  const own = lab.custom ? {} : SPECIAL.get(lab.scene) || {};
  if (!lab.custom) add("scene", lab.scene);
  const solvers = lab.panels.map(q => q.choice).join(",");
  if (solvers !== (own.solver || "scene")) add("solver", solvers);
  for (const key in NUMBER_KEYS) if (lab.settings[key] !== undefined && String(lab.settings[key]) !== own[key]) add(key, short(lab.settings[key]));
  const masses = [...(lab.settings.mass !== undefined ? [short(lab.settings.mass)] : []), ...[...lab.links].map(([name, f]) => name + ":" + short(f))];
  if (masses.length) add("mass", masses.join(","));
  if (lab.trot && lab.trot.join() !== (own.trot || "")) add("trot", lab.trot.map(short).join(","));
  if (lab.drops.length) add("drop", lab.drops.map(d => d.map(x => short(Number(x).toFixed(4))).join(",")).join(";"));
  if (lab.speed !== 1) add("speed", lab.speed);
  const shown = SHOWN.filter(k => lab.show[k]).join(",");
  if (shown !== "contacts,forces,shadows") add("show", shown);
  if (lab.tab !== "settings") add("tab", lab.tab);
  if (withState && lab.seenFrom) {                     // where the scene is seen from, when it is not the scene's own view
    const from = lab.seenFrom, zoom = from.distance / camera.distance, moved = (a, b) => Math.abs(a - b) > 1e-4;
    if (moved(camera.yaw, from.yaw)) add("yaw", camera.yaw.toFixed(4));
    if (moved(camera.pitch, from.pitch)) add("pitch", camera.pitch.toFixed(4));
    if (moved(zoom, 1)) add("zoom", zoom.toPrecision(5));
    if (lab.follow !== from.follow) add("follow", lab.follow ? 1 : 0);
  }
  const picked = withState && lab.picked && lab.panels.length ? lab.panels[0].contacts.findIndex(c => sameContact(c, lab.picked)) : -1;
  if (picked >= 0) add("contact", picked);
  if (withState && lab.panels.length && !lab.panels[0].stopped) {
    const { q, v } = lab.panels[0].engine.state(), all = new Float64Array([lab.panels[0].stats.time, ...q, ...v]);
    if (all.length <= 2000) { add("state", toBase64(new Uint8Array(all.buffer))); add("play", 0); }
  }
  if (lab.custom && window.CompressionStream) {
    const parts = [], head = JSON.stringify({ path: lab.main, files: lab.files.map(([path, data]) => [path, data.length]) }), text = new TextEncoder().encode(head);
    parts.push(new Uint8Array(new Uint32Array([text.length]).buffer), text, ...lab.files.map(f => f[1]));
    const packed = await squeeze(await new Blob(parts).arrayBuffer(), CompressionStream);
    if (packed.length <= 48000) add("files", toBase64(packed));
  }
  return "#" + p.join("&");
}

// Files that are part of an address: [path, bytes], and which of them to open.
async function unpackFiles(text) {
  const bytes = await squeeze(fromBase64(text), DecompressionStream), n = new DataView(bytes.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + n)));
  let at = 4 + n;
  return { path: head.path, files: head.files.map(([path, length]) => [path, bytes.slice(at, at += length)]) };
}
