// What all parts of the page share. `about` describes the scene as a replay's does.
const by = id => document.getElementById(id);
const PANEL_COLOURS = ["#2b7bbd", "#d55e00", "#0a8f5b", "#8f4fc0"];
const MANY_BODIES = 100;
let about = { shapes: [], bodies: [], meshes: [], colliders: [], camera: { fov: 45, follow: 0 } }, names = { links: [], joints: [] };
let manyBodies = false, registry = { solvers: [], engines: "" };

const lab = {
  scene: "", title: "", files: [], path: "", text: "", panels: [], settings: {}, links: new Map(), trot: null, drops: [], custom: false,
  playing: false, speed: 1, tool: "pull", dirty: true, follow: false, quality: 1, fps: 0, rate: 0, taken: 0,
  show: { contacts: true, forces: true, cones: false, frames: false, shadows: true }, picked: null, body: null, hold: null, tab: "settings",
  several() { return this.panels.length > 1; },
};
