// The library as one instance of its WebAssembly module: a world of its own in memory of its own (lab/lab.c).
const SET = { dt: 0, mu: 1, e: 2, compliance: 3, tol: 4, iters: 5, mass: 6, gravity: 7, erp: 8, warm: 9 };
const CONTACT_NUMBERS = 26, FASTEST = 1e4;           // [m/s, rad/s]: beyond, a run has diverged
let program = null;

class Engine {
  constructor() {
    this.x = new WebAssembly.Instance(program, {}).exports;
    this.room = this.x.lab_alloc(65536);
  }
  bytes(at, n) { return new Uint8Array(this.x.memory.buffer, at, n); }
  numbers(at, n) { return new Float64Array(this.x.memory.buffer, at, n); }
  text(at) {
    const all = new Uint8Array(this.x.memory.buffer);
    let end = at;
    while (all[end]) ++end;
    return new TextDecoder().decode(all.subarray(at, end));
  }
  // A string at a place of its own, or for the time of one call.
  keep(data) { const at = this.x.lab_alloc(data.length + 1), to = this.bytes(at, data.length + 1); to.set(data); to[data.length] = 0; return at; }
  word(text) { const data = new TextEncoder().encode(text + "\0"); this.bytes(this.room, data.length).set(data); return this.room; }
  list(...numbers) { const flat = numbers.flat(); this.numbers(this.room, flat.length).set(flat); return this.room; }
  check(status) { if (status < 0) throw new Error(this.text(this.x.lab_message()) || "the library gave up"); return status; }

  give(files) { for (const [path, data] of files) { const name = new TextEncoder().encode(path); this.x.lab_file(this.keep(name), this.keep(data), data.length); } }
  around(path) { const at = this.x.lab_around(this.word(path)); return at ? this.text(at) : null; }
  open(files, path, set) {
    this.give(files);
    this.check(this.x.lab_open(this.word(path)));
    this.x.lab_solver(this.word(set.solver === "scene" ? "" : set.solver));
    for (const key in SET) this.x.lab_set(SET[key], set[key] === undefined ? NaN : set[key]);
    for (const [link, factor] of set.links || []) this.x.lab_factor(link, factor);
    if (set.trot) this.x.lab_walk(...set.trot);
    this.check(this.x.lab_start());
    if ((set.links || []).length) this.check(this.x.lab_again(1));
  }
  describe() {
    const at = this.x.lab_describe();
    if (!at) throw new Error(this.text(this.x.lab_message()));
    const text = this.text(at), part = {};
    for (const m of text.matchAll(/<script type="([^"]*)" id="([^"]*)">([^]*?)<\/script>/g)) part[m[2]] = m[1] === "application/json" ? JSON.parse(m[3]) : m[3];
    part.about.meshes.forEach(m => { m.bytes = bytesOf(part["mesh" + m.id]); });
    return { about: part.about, names: part.lab };
  }
  static registry() { const e = new Engine(); return JSON.parse(e.text(e.x.lab_registry())); }
  snapshot() { const n = this.x.lab_snapshot_bytes(), at = this.x.lab_alloc(n); this.x.lab_snapshot(at); return this.bytes(at, n).slice(); }
  restore(data) { const at = this.x.lab_alloc(data.length); this.bytes(at, data.length).set(data); this.check(this.x.lab_restore(at, data.length)); }
  state() { return { q: this.numbers(this.x.lab_q(), this.x.lab_nq()).slice(), v: this.numbers(this.x.lab_v(), this.x.lab_nv()).slice() }; }
}

// A panel: an engine, the solver chosen for it, and what it has shown so far.
class Panel {
  constructor(number, choice) {
    Object.assign(this, { number, choice, engine: null, stopped: "", trail: [], traces: [], diverging: 0, milliseconds: 0, timed: 0 });
    this.base = { steps: 0, missed: 0, iterations: 0, contacts: 0, broken: [0, 0, 0], residual: 0, penetration: 0 };
  }
  get colour() { return PANEL_COLOURS[this.number % PANEL_COLOURS.length]; }
  solver() { return registry.solvers.find(s => s.id === this.engine.text(this.engine.x.lab_solver_id())); }
  // One step. What goes wrong stops this panel and is said on it.
  step() {
    if (this.stopped) return false;
    try {
      const x = this.engine.x, status = x.lab_step();
      if (status < 0) { this.stopped = this.engine.text(x.lab_message()); return false; }
      this.diverging = status === 5 ? this.diverging + 1 : 0;
      if (this.diverging >= 20) this.stopped = "in 20 steps on end the solver's impulses grow without bound: it finds no solution";
    } catch (e) { this.stopped = "the module stopped: " + e.message; }
    return !this.stopped;
  }
  // What there is to see after the last step.
  look(most) {
    if (!this.engine) return;
    const { x } = this.engine, n = x.lab_contacts(most);
    this.poses = this.engine.numbers(x.lab_poses(), 7 * about.bodies.length).slice();
    const all = n ? this.engine.numbers(x.lab_contact_numbers(), CONTACT_NUMBERS * n).slice() : [];
    this.contacts = [];
    for (let i = 0; i < n; ++i) this.contacts.push(contactOf(this, all, i));
    const s = this.engine.numbers(x.lab_stats(), 31), b = this.base;
    this.stats = { kinetic: s[0], potential: s[1], time: s[2], steps: s[3] + b.steps, status: s[4], met: s[5], iterations: s[6], calls: s[7], residual: s[8],
      primal: s[9], dual: s[10], comp: s[11], penetration: s[12], missed: s[13] + b.missed, worst: Math.max(s[14], b.residual), deepest: Math.max(s[15], b.penetration), allIterations: s[16] + b.iterations,
      contacts: s[17] + b.contacts, broken: [s[18] + b.broken[0], s[19] + b.broken[1], s[20] + b.broken[2]], islands: s[21], dropped: s[22],
      pull: [s[23], s[24], s[25]], held: [s[26], s[27], s[28]], pushing: s[29], own: s[30] };
    if (!this.stopped && !(x.lab_fastest() < FASTEST)) this.stopped = "something moves faster than " + FASTEST + " m/s or rad/s: the run has diverged";
    const h = x.lab_history();
    if (h) this.history = { eps: this.engine.numbers(x.lab_history_eps(), h).slice(), call: this.engine.numbers(x.lab_history_call(), h).slice() };
    const last = this.traces[this.traces.length - 1];
    if (!last || this.stats.time > last.t + 1e-9) this.traces.push({ t: this.stats.time, energy: s[0] + s[1], residual: s[8], force: this.contacts.reduce((f, c) => f + c.lambda[2], 0) / x.lab_get(SET.dt) });
    if (this.traces.length > 1200) this.traces.splice(0, 200);
  }
}

// A contact as the replay's pictures take it. The force acts on b, unless b is the world.
function contactOf(panel, n, i) {
  const o = CONTACT_NUMBERS * i, three = k => [n[o + k], n[o + k + 1], n[o + k + 2]];
  return { run: panel, index: i, a: n[o], b: n[o + 1], feature: n[o + 2], point: three(3), frame: [three(6), three(9), three(12)], lambda: three(15), sigma: three(18),
    mu: n[o + 21], gap: n[o + 22], state: n[o + 23], broken: n[o + 24] };
}
