// The models that the page carries, and the order in which it offers them.
const MODELS_TEXT = {
@models
};
const BITS_TABLE =
@text tests/bits.txt
;

// Name, what to look for, settings that go with it.
const OFFERED = [
  ["Laws of contact", [
    ["cube_slide", "a cube slides to rest", {}],
    ["slide_aslant", "across the axes: four models, four answers", { solver: "lcp-pgs,ccp-pgs,raisim-bisection,ncp-pgs", follow: "1" }],
    ["incline", "one brick stays, one slides", {}],
    ["cube_push", "a push that grows until it slides", {}],
    ["ball_drop", "dead, bouncing and soft landings", {}],
    ["stack_ratio", "1 kg below, 1000 kg on top", { solver: "ncp-pgs,default" }],
    ["soft_sweep", "ground from rigid to soft", {}],
    ["shaker", "a table shaken harder and harder", {}],
    ["conveyor", "a belt and a turntable", {}]]],
  ["Walking and standing", [
    ["quad_ice", "a quadruped trots over frozen puddles", { trot: "0.4,0,0" }],
    ["quad_trot", "the quadruped on level ground", { trot: "0.5,0,0" }],
    ["quad_rough", "on slippery bumps", { trot: "0.4,0,0" }],
    ["quad_steep", "up a slope of 20 degrees", { trot: "0.3,0,0" }],
    ["quad_stand", "stands on its drives: pull at it", {}],
    ["solo12_trot", "Solo-12 walks aslant and turns", { trot: "0.3,0.1,0.2" }],
    ["humanoid_push", "37 freedoms, pushed at the trunk", {}],
    ["humanoid_fall", "loses its drives and falls", {}],
    ["cassie_drop", "a biped with closed loops", {}]]],
  ["Hands and arms", [
    ["hand_cubes", "a hand holds three cubes", {}],
    ["hand_ball", "a ball drops into a hand", {}],
    ["pinch", "held by friction alone", {}],
    ["arm_drop", "an arm without torque falls", {}],
    ["four_bar", "a linkage that closes", {}],
    ["gears", "three gears, one drive", {}]]],
  ["Crowds", [
    ["wall", "fifteen cubes and a ball", {}],
    ["dominoes", "twenty in a row", {}],
    ["stack", "ten cubes, one on the other", {}],
    ["pebbles", "pebbles of all shapes", {}],
    ["pile", "two hundred shapes rain into a tray", { dt: "0.008", tol: "0.001", solver: "ncp-gs", iters: "20" }]]],
];
const SPECIAL = new Map(OFFERED.flatMap(([, list]) => list.map(([name, , set]) => [name, set])));
SPECIAL.set("solo12_creep", {}); SPECIAL.set("solo12_rough", { trot: "0.3,0,0" });

const modelPath = name => /\.(urdf|xml)$/.test(name) ? "models/" + name : "models/" + name + ".xml";
const hasModel = name => MODELS_TEXT[modelPath(name)] !== undefined;
const sceneAbout = text => { const m = /\babout="([^"]*)"/.exec(text); return m ? m[1].replace(/&lt;/g, "<").replace(/&amp;/g, "&").replace(/&quot;/g, '"') : ""; };
const modelFiles = () => Object.entries(MODELS_TEXT).map(([path, text]) => [path, new TextEncoder().encode(text)]);

// Hashes of whole runs by the native build (tests/bits.txt): scene, steps, hash, arguments.
const KNOWN_HASHES = BITS_TABLE.split("\n").filter(l => l && l[0] !== "#").map(l => l.split(/\s+/)).map(w => ({ steps: Number(w[1]), hash: w[2],
  scene: w[4].replace(/^models\//, "").replace(/\.xml$/, ""), trot: w.includes("--trot") ? w[w.indexOf("--trot") + 1] : "" }));
