// What was recorded: the description (JSON) and the packed frames (see docs/replay.md for their layout).
const about = JSON.parse(document.getElementById("about").textContent);

const blockBytes = id => bytesOf(document.getElementById(id).textContent);

// IEEE halves, by table: built once, as many lookups as one likes.
const halfTable = (() => {
  const t = new Float32Array(65536);
  for (let h = 0; h < 65536; ++h) {
    const e = h >> 10 & 31, m = h & 1023, a = e ? 2 ** (e - 15) * (1 + m / 1024) : m / 16777216;
    t[h] = h & 32768 ? -a : a;
  }
  return t;
})();

const decade = d => d ? 10 ** ((d - 1) / 10 - 20) : 0;

// Three of a quaternion's components, 15 bits each; the largest is what is left of the unit length.
function unpackQuat(a, b, c, out, at) {
  const big = a >> 15 | b >> 15 << 1, k = Math.SQRT1_2;
  const x = ((a & 32767) / 16383.5 - 1) * k, y = ((b & 32767) / 16383.5 - 1) * k, z = ((c & 32767) / 16383.5 - 1) * k;
  const w = Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z));
  out[at] = big === 0 ? w : x;
  out[at + 1] = big === 1 ? w : big === 0 ? x : y;
  out[at + 2] = big === 2 ? w : big < 2 ? y : z;
  out[at + 3] = big === 3 ? w : z;
}

function loadRun(number) {
  const about1 = about.runs[number], bytes = blockBytes("run" + number), buffer = bytes.buffer;
  const nf = about1.frames, nb = about1.bodies, nc = about1.contacts;
  let at = bytes.byteOffset;
  const take = (Type, n) => { const a = new Type(buffer, at, n); at += n * Type.BYTES_PER_ELEMENT; return a; };
  const run = { number, about: about1, nf, nb, nc, solver: about1.solver };
  run.time = take(Float32Array, nf);
  run.curves = about.curves.map(() => take(Float32Array, nf));
  run.box = take(Float32Array, 6 * nb);
  run.pointBox = take(Float32Array, 6);
  run.scale = take(Float32Array, 2);
  run.start = take(Uint32Array, nf + 1);
  run.poses = take(Uint16Array, 6 * nf * nb);
  run.column = [];
  for (let i = 0; i < 17; ++i) run.column.push(take(Uint16Array, nc));
  run.byte = [];
  for (let i = 0; i < 4; ++i) run.byte.push(take(Uint8Array, nc));
  return run;
}

for (const r of about.runs) for (const k in r.summary) if (r.summary[k] === null) r.summary[k] = Infinity;   // JSON has no such number
const runs = about.runs.map((_, i) => loadRun(i));
const lastTime = Math.max(...runs.map(r => r.time[r.nf - 1]));

// The last frame at or before t, and how far it is to the next one.
function frameAt(run, t) {
  let lo = 0, hi = run.nf - 1;
  while (lo < hi) {
    const mid = lo + hi + 1 >> 1;
    if (run.time[mid] <= t + 1e-9) lo = mid; else hi = mid - 1;
  }
  const dt = lo + 1 < run.nf ? run.time[lo + 1] - run.time[lo] : 0;
  return { frame: lo, part: dt > 0 ? Math.min(1, Math.max(0, (t - run.time[lo]) / dt)) : 0 };
}

// Position and quaternion of a body (0 the first moving one) at a frame, into out[at .. at + 7).
function poseAtFrame(run, body, frame, out, at) {
  const p = run.poses, o = (body * run.nf + frame) * 6, b = 6 * body, box = run.box;
  out[at] = box[b] + box[b + 3] * p[o] / 65535;
  out[at + 1] = box[b + 1] + box[b + 4] * p[o + 1] / 65535;
  out[at + 2] = box[b + 2] + box[b + 5] * p[o + 2] / 65535;
  unpackQuat(p[o + 3], p[o + 4], p[o + 5], out, at + 3);
}

const poseNext = new Float32Array(7);

// All poses at a time, between frames: positions on a line, quaternions on the shorter arc.
function posesAt(run, t, out) {
  const { frame, part } = frameAt(run, t);
  for (let b = 0; b < run.nb; ++b) {
    const at = 7 * b;
    poseAtFrame(run, b, frame, out, at);
    if (part <= 0) continue;
    poseAtFrame(run, b, frame + 1, poseNext, 0);
    let dot = 0;
    for (let k = 3; k < 7; ++k) dot += out[at + k] * poseNext[k];
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let k = 0; k < 3; ++k) out[at + k] += part * (poseNext[k] - out[at + k]);
    for (let k = 3; k < 7; ++k) { out[at + k] += part * (sign * poseNext[k] - out[at + k]); norm += out[at + k] ** 2; }
    norm = 1 / Math.sqrt(norm);
    for (let k = 3; k < 7; ++k) out[at + k] *= norm;
  }
  return frame;
}

const STATES = ["open", "stick", "slip"];

// Contact i of a run's block, unpacked. Rows t1, t2, n of `frame` are world vectors; the force acts on b.
function contactAt(run, i) {
  const col = run.column, box = run.pointBox, q = [0, 0, 0, 1], half = k => halfTable[col[k][i]];
  unpackQuat(col[6][i], col[7][i], col[8][i], q, 0);
  const [x, y, z, w] = q, flags = run.byte[3][i];
  return {
    run, index: i, a: col[0][i], b: col[1][i], feature: col[2][i],
    point: [0, 1, 2].map(k => box[k] + box[3 + k] * col[3 + k][i] / 65535),
    frame: [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]],
    lambda: [half(9) * run.scale[0], half(10) * run.scale[0], half(11) * run.scale[0]],
    sigma: [half(12) * run.scale[1], half(13) * run.scale[1], half(14) * run.scale[1]],
    mu: half(15), gap: half(16), eps: [0, 1, 2].map(k => decade(run.byte[k][i])),
    state: flags & 3, broken: flags >> 2,
  };
}

function contactsAt(run, frame) {
  const list = [];
  for (let i = run.start[frame]; i < run.start[frame + 1]; ++i) list.push(contactAt(run, i));
  return list;
}
