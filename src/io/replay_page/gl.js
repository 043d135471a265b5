// Drawing with WebGL2: many solids at once with one light and its shadow, the ground with a grid, lines of some width.
//
// A vertex is (round, box, normal): its place in a shape of radius r and half extents h is r round + h box, so one
// unit mesh serves all boxes, spheres, capsules and cylinders of any size. An ellipsoid is a ball of box alone, marked by
// r < 0: its normal is that of the ball divided by h. What makes a solid of a unit mesh (place,
// turn, size, colour) lies in a texture, 64 solids a row; a vertex buffer holds several copies of the mesh, numbered.
// WebGL's own instancing would do the same, but software renderers draw instance after instance, 60 us each.
const SOLID_VERTEX = `#version 300 es
layout(location=0) in vec3 aRound; layout(location=1) in vec3 aBox; layout(location=2) in vec3 aNormal;
layout(location=3) in float aCopy;
uniform mat4 uView, uLight; uniform int uFirst; uniform float uNearer; uniform highp sampler2D uData;
out vec3 vNormal, vWorld, vLocal, vShadow; out vec4 vColour; flat out vec4 vHalf;
vec3 turn(vec4 q, vec3 v) { return v + 2.0*cross(q.xyz, cross(q.xyz, v) + q.w*v); }
void main() {
  int i = uFirst + int(aCopy), row = i >> 6, column = (i & 63)*4;
  vec4 iPlace = texelFetch(uData, ivec2(column, row), 0), iQuat = texelFetch(uData, ivec2(column + 1, row), 0);
  vec4 iHalf = texelFetch(uData, ivec2(column + 2, row), 0), iColour = texelFetch(uData, ivec2(column + 3, row), 0);
  vLocal = aRound*iPlace.w + aBox*iHalf.xyz;
  vWorld = turn(iQuat, vLocal) + iPlace.xyz;
  vNormal = turn(iQuat, iPlace.w < 0.0 ? normalize(aNormal/iHalf.xyz) : aNormal);
  vColour = iColour; vHalf = iHalf;
  vShadow = (uLight*vec4(vWorld + 0.002*vNormal, 1.0)).xyz*0.5 + 0.5;
  gl_Position = uView*vec4(vWorld, 1.0);
  gl_Position.z -= uNearer*gl_Position.w;
}`;
const SOLID_FRAGMENT = `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 vNormal, vWorld, vLocal, vShadow; in vec4 vColour; flat in vec4 vHalf;
uniform vec3 uEye, uSun; uniform sampler2DShadow uShadow; uniform float uShade, uAlpha, uFlat, uEdge;
out vec4 colour;
void main() {
  vec3 n = normalize(vNormal), v = normalize(uEye - vWorld), base = vColour.rgb*vColour.rgb;
  if (!gl_FrontFacing) n = -n;
  float pattern = vHalf.w, edge = 0.0;
  if (pattern > 2.5) {
    vec2 x = vWorld.xy*4.0, line = abs(fract(x - 0.5) - 0.5)/fwidth(x);
    base *= 1.0 - 0.10*clamp(1.0 - min(line.x, line.y), 0.0, 1.0);
  } else if (pattern > 1.5) base *= vLocal.x*vLocal.y*vLocal.z > 0.0 ? 1.0 : 0.72;
  else if (pattern > 0.5) {
    vec3 d = vHalf.xyz - abs(vLocal), w = fwidth(vLocal)*1.3 + 1e-6;
    vec3 near = 1.0 - smoothstep(vec3(0.0), w, d);
    edge = max(max(near.x*near.y, near.y*near.z), near.z*near.x);
    base *= 1.0 - 0.45*edge;
  }
  float sun = max(dot(n, uSun), 0.0), light = 1.0;
  if (uShade > 0.5 && sun > 0.0) {
    vec3 s = vec3(vShadow.xy, vShadow.z - 0.0012);
    if (all(greaterThan(s, vec3(0.0))) && all(lessThan(s, vec3(1.0)))) light = texture(uShadow, s);
  }
  vec3 sky = mix(vec3(0.30, 0.29, 0.30), vec3(0.52, 0.55, 0.60), 0.5 + 0.5*n.z);
  float shine = pow(max(dot(n, normalize(uSun + v)), 0.0), 40.0)*0.22;
  vec3 lit = base*(sky + sun*light*vec3(0.86, 0.83, 0.78)) + shine*light*sun;
  lit = mix(lit, base*1.05, uFlat);
  colour = vec4(sqrt(lit), max(vColour.a*uAlpha, edge*uEdge));
}`;
const DEPTH_FRAGMENT = `#version 300 es
precision mediump float; out vec4 colour; void main() { colour = vec4(0.64, 0.675, 0.725, 1.0); }`;
const GROUND_VERTEX = `#version 300 es
layout(location=0) in vec2 aPlace;
uniform mat4 uView, uLight; uniform vec3 uOrigin, uX, uY; uniform float uSize; uniform vec2 uCentre;
out vec3 vWorld, vShadow; out vec2 vPlane;
void main() {
  vPlane = uCentre + aPlace*uSize;
  vWorld = uOrigin + vPlane.x*uX + vPlane.y*uY;
  vShadow = (uLight*vec4(vWorld, 1.0)).xyz*0.5 + 0.5;
  gl_Position = uView*vec4(vWorld, 1.0);
}`;
// Written for the case at hand, without branches: they cost software renderers more than what they skip.
const groundFragment = (shaded, opaque, plain) => `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 vWorld, vShadow; in vec2 vPlane;
uniform sampler2DShadow uShadow; uniform float uSize, uStep, uSolid, uDark; uniform vec2 uCentre; uniform vec3 uBehind;
out vec4 colour;
void main() {
  ${plain ? `vec2 x = vPlane*(0.1/uStep), w = fwidth(x), r = 1.0/w, c = (vPlane - uCentre)/uSize, e = abs(fract(x - 0.5) - 0.5)*r;
  float far = dot(c, c), minor = 0.0, major = clamp(1.0 - min(e.x, e.y), 0.0, 1.0)*clamp(1.7 - 3.0*max(w.x, w.y), 0.0, 1.0);
  vec3 base = mix(vec3(0.908, 0.921, 0.935) - 0.07*major, vec3(0.150, 0.170, 0.196) + 0.06*major, uDark);
  ` : `vec2 x = vPlane/uStep, w = fwidth(x), r = 1.0/w, y = x*0.1, tile = floor(y), c = (vPlane - uCentre)/uSize;
  vec2 d = abs(fract(x - 0.5) - 0.5)*r, e = abs(fract(y - 0.5) - 0.5)*10.0*r, axis = 0.45*clamp(1.6 - abs(x)*r, 0.0, 1.0);
  float wide = max(w.x, w.y), far = dot(c, c);
  float minor = clamp(1.0 - min(d.x, d.y), 0.0, 1.0)*clamp(1.7 - 3.0*wide, 0.0, 1.0);
  float major = clamp(1.0 - min(e.x, e.y), 0.0, 1.0)*clamp(1.7 - 0.3*wide, 0.0, 1.0);
  float lines = 0.028*fract(0.5*(tile.x + tile.y)) + 0.032*minor + 0.062*major;
  vec3 base = mix(vec3(0.915, 0.928, 0.942) - lines, vec3(0.145, 0.165, 0.190) + 0.9*lines, uDark);
  base = mix(mix(base, vec3(0.80, 0.45, 0.42), axis.y), vec3(0.42, 0.68, 0.45), axis.x);`}
  ${shaded ? `vec3 s = vec3(vShadow.xy, vShadow.z - 0.0015);
  if (all(greaterThan(s, vec3(0.0))) && all(lessThan(s, vec3(1.0)))) base *= mix(vec3(0.70, 0.725, 0.77), vec3(1.0), texture(uShadow, s));` : ""}
  float alpha = max(uSolid, max(minor, major)*0.8)*clamp((0.96 - far)*1.2, 0.0, 1.0);
  colour = ${opaque ? "vec4(mix(uBehind, base, alpha), 1.0)" : "vec4(base, alpha)"};
}`;
const LINE_VERTEX = `#version 300 es
layout(location=0) in vec3 aFrom; layout(location=1) in vec3 aTo; layout(location=2) in vec2 aTime; layout(location=3) in vec2 aCorner;
uniform mat4 uView; uniform vec2 uPixel; uniform float uWidth;
out float vTime;
void main() {
  vec4 a = uView*vec4(aFrom, 1.0), b = uView*vec4(aTo, 1.0), p = aCorner.y < 0.5 ? a : b;
  vec2 d = b.xy/b.w - a.xy/a.w, n = normalize(vec2(-d.y*uPixel.x, d.x*uPixel.y) + vec2(1e-9, 0.0));
  vTime = aCorner.y < 0.5 ? aTime.x : aTime.y;
  gl_Position = p + vec4(n*aCorner.x*uWidth*uPixel*p.w, -0.0004*p.w, 0.0);
}`;
const LINE_FRAGMENT = `#version 300 es
precision highp float; in float vTime; uniform vec4 uColour; uniform float uNow; out vec4 colour;
void main() { colour = vec4(uColour.rgb, uColour.a*(vTime > uNow ? 0.22 : 1.0)); }`;

const INSTANCE = 16;                    // floats: place and radius, quaternion, half extents and pattern, colour

// Vertices of (round, box, normal), three to a triangle.
const unitMeshes = {
  box() {
    const out = [];
    for (let axis = 0; axis < 3; ++axis)
      for (const s of [-1, 1]) {
        const corner = (u, v) => { const p = [0, 0, 0]; p[axis] = s; p[(axis + 1) % 3] = u; p[(axis + 2) % 3] = v; return p; };
        const n = [0, 0, 0];
        n[axis] = s;
        const quad = s > 0 ? [[-1, -1], [1, -1], [1, 1], [-1, 1]] : [[-1, -1], [-1, 1], [1, 1], [1, -1]];
        for (const k of [0, 1, 2, 0, 2, 3]) out.push(0, 0, 0, ...corner(...quad[k]), ...n);
      }
    return out;
  },
  // A ball cut at its equator and drawn apart along z by box: sphere (h = 0) and capsule alike.
  ball(around, up, wall) {
    const out = [];
    const vertex = (i, j, side) => {
      const a = 2 * Math.PI * i / around, b = Math.PI / 2 * j / up;
      const d = [Math.cos(a) * Math.cos(b), Math.sin(a) * Math.cos(b), side * Math.sin(b)];
      return [...d, 0, 0, side, ...d];
    };
    for (let i = 0; i < around; ++i) {
      for (const side of [-1, 1])
        for (let j = 0; j < up; ++j) {
          const quad = [vertex(i, j, side), vertex(i + 1, j, side), vertex(i + 1, j + 1, side), vertex(i, j + 1, side)];
          const corners = j + 1 < up ? [0, 1, 2, 0, 2, 3] : [0, 1, 2];          // one triangle at the pole
          for (const k of side > 0 ? corners : corners.reverse()) out.push(...quad[k]);
        }
      const side = [vertex(i, 0, -1), vertex(i + 1, 0, -1), vertex(i + 1, 0, 1), vertex(i, 0, 1)];
      if (wall) for (const k of [0, 1, 2, 0, 2, 3]) out.push(...side[k]);
    }
    return out;
  },
  // A ball that h draws out along all three axes.
  egg(around, up) {
    const out = unitMeshes.ball(around, up, false);
    for (let i = 0; i < out.length; i += 9)
      for (let k = 0; k < 3; ++k) { out[i + 3 + k] = out[i + k]; out[i + k] = 0; }
    return out;
  },
  // A tube from radius `foot` at -h to `top` at +h, with lids.
  tube(foot, top, around = 28) {
    const out = [], slope = foot - top, ring = (i, z) => {
      const a = 2 * Math.PI * i / around, r = z < 0 ? foot : top, n = vec.unit([Math.cos(a), Math.sin(a), slope * 0.4]);
      return [Math.cos(a) * r, Math.sin(a) * r, 0, 0, 0, z, ...n];
    };
    for (let i = 0; i < around; ++i) {
      const q = [ring(i, -1), ring(i + 1, -1), ring(i + 1, 1), ring(i, 1)];
      for (const k of [0, 1, 2, 0, 2, 3]) out.push(...q[k]);
      for (const z of [-1, 1]) {
        if ((z < 0 ? foot : top) === 0) continue;
        const a = ring(i, z), b = ring(i + 1, z), middle = [0, 0, 0, 0, 0, z];
        for (const p of z > 0 ? [middle, a, b] : [middle, b, a]) out.push(...p.slice(0, 6), 0, 0, z);
      }
    }
    return out;
  },
};

function meshVertices(m) {
  const bytes = m.bytes, corner = new Uint16Array(bytes.buffer, bytes.byteOffset, 3 * m.nv);
  const skip = 6 * m.nv + (m.nv % 2 ? 2 : 0), index = new Uint32Array(bytes.buffer.slice(bytes.byteOffset + skip, bytes.byteOffset + skip + 12 * m.nt));
  const at = v => [0, 1, 2].map(k => m.lo[k] + m.extent[k] * corner[3 * v + k] / 65535);
  const out = new Float32Array(27 * m.nt), smooth = m.smooth ? new Float32Array(3 * m.nv) : null;
  const each = f => {
    for (let t = 0; t < m.nt; ++t) {
      const v = [index[3 * t], index[3 * t + 1], index[3 * t + 2]], p = v.map(at);
      f(t, v, p, vec.cross(vec.sub(p[1], p[0]), vec.sub(p[2], p[0])));
    }
  };
  if (smooth) each((t, v, p, n) => { for (const i of v) for (let k = 0; k < 3; ++k) smooth[3 * i + k] += n[k]; });
  each((t, v, p, n) => {
    for (let c = 0; c < 3; ++c) {
      const s = smooth ? vec.unit([smooth[3 * v[c]], smooth[3 * v[c] + 1], smooth[3 * v[c] + 2]]) : vec.unit(n);
      out.set([0, 0, 0, ...p[c], ...s], 27 * t + 9 * c);
    }
  });
  return out;
}

// Triangles by index: a vertex that several of them share is worked on once.
function shareVertices(vertices) {
  const n = vertices.length / 9, seen = new Map(), index = new Uint32Array(n), out = [];
  for (let i = 0; i < n; ++i) {
    const v = vertices.slice(9 * i, 9 * i + 9), key = v.map(x => Math.round(x * 1e5)).join();
    let k = seen.get(key);
    if (k === undefined) { k = out.length / 9; seen.set(key, k); for (const x of v) out.push(x); }
    index[i] = k;
  }
  return { vertex: new Float32Array(out), index };
}

// Large meshes, such as terrain, are drawn tile by tile, those in sight alone: triangles sorted by where they are, and for
// each tile its stretch of the index and a ball around it.
const TILED = 4000, TILE_TRIANGLES = 1200;
function tilesOf(vertex, index) {
  const nt = index.length / 3, lo = [Infinity, Infinity], hi = [-Infinity, -Infinity], at = (v, k) => vertex[9 * v + 3 + k];
  for (const v of index) for (let k = 0; k < 2; ++k) { lo[k] = Math.min(lo[k], at(v, k)); hi[k] = Math.max(hi[k], at(v, k)); }
  const side = Math.max(1, Math.round(Math.sqrt(nt / TILE_TRIANGLES))), lists = Array.from({ length: side * side }, () => []);
  const cell = (x, k) => Math.min(side - 1, Math.floor(side * (x - lo[k]) / ((hi[k] - lo[k]) || 1)));
  for (let t = 0; t < nt; ++t) lists[cell(at(index[3 * t], 0), 0) + side * cell(at(index[3 * t], 1), 1)].push(t);
  const sorted = new Uint32Array(index.length), tiles = [];
  let n = 0;
  for (const list of lists) {
    if (!list.length) continue;
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], start = n;
    for (const t of list)
      for (let c = 0; c < 3; ++c) {
        const v = sorted[n++] = index[3 * t + c];
        for (let k = 0; k < 3; ++k) { low[k] = Math.min(low[k], at(v, k)); high[k] = Math.max(high[k], at(v, k)); }
      }
    tiles.push({ start, count: n - start, centre: vec.mul(0.5, vec.add(low, high)), radius: vec.len(vec.sub(high, low)) / 2 });
  }
  return { sorted, tiles };
}
// Whether a ball meets what a matrix shows.
function inSight(m, c, r) {
  for (let axis = 0; axis < 3; ++axis)
    for (const s of [1, -1]) {
      const x = m[3] + s * m[axis], y = m[7] + s * m[4 + axis], z = m[11] + s * m[8 + axis], w = m[15] + s * m[12 + axis];
      if (x * c[0] + y * c[1] + z * c[2] + w < -r * Math.hypot(x, y, z)) return false;
    }
  return true;
}

// The renderer: meshes by name (`triangles`: those of the scene, with their bytes), lists of instances to fill, and passes over them.
function createRenderer(canvas, manyBodies, triangles) {
  const gl = canvas.getContext("webgl2", { antialias: !manyBodies, alpha: false, powerPreference: "high-performance", preserveDrawingBuffer: false });
  if (!gl) return null;

  function program(vertex, fragment) {
    const p = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const s = gl.createShader(type);
      gl.shaderSource(s, source);
      gl.compileShader(s);
      if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
      gl.attachShader(p, s);
    }
    gl.linkProgram(p);
    if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(p));
    const at = {};
    for (let i = 0; i < gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS); ++i) {
      const u = gl.getActiveUniform(p, i);
      at[u.name] = gl.getUniformLocation(p, u.name);
    }
    return { p, at };
  }
  const solid = program(SOLID_VERTEX, SOLID_FRAGMENT), depth = program(SOLID_VERTEX, DEPTH_FRAGMENT);
  const line = program(LINE_VERTEX, LINE_FRAGMENT);

  const grounds = {};
  const groundFor = (shaded, opaque) => grounds[[shaded, opaque]] || (grounds[[shaded, opaque]] = program(GROUND_VERTEX, groundFragment(shaded, opaque, manyBodies)));
  const batch = manyBodies ? createCrowdRenderer(gl, program) : null;

  const meshes = {};
  function addMesh(name, vertices) {
    const { vertex, index } = shareVertices(vertices), n = vertex.length / 9, copies = Math.max(1, Math.min(64, Math.floor(12000 / n)));
    const large = index.length > 3 * TILED ? tilesOf(vertex, index) : null;
    if (large) index.set(large.sorted);
    const data = new Float32Array(10 * n * copies), all = new Uint32Array(index.length * copies);
    for (let c = 0; c < copies; ++c) {
      for (let i = 0; i < n; ++i) { data.set(vertex.subarray(9 * i, 9 * i + 9), 10 * (c * n + i)); data[10 * (c * n + i) + 9] = c; }
      for (let i = 0; i < index.length; ++i) all[c * index.length + i] = c * n + index[i];
    }
    const vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
    [3, 3, 3, 1].forEach((size, k) => { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, size, gl.FLOAT, false, 40, 12 * k); });
    gl.bindVertexArray(null);
    meshes[name] = { vao, copies, count: index.length, tiles: large && large.tiles, texture: gl.createTexture(), rows: 0, closed: name !== "cone" && !name.startsWith("mesh") };
  }
  addMesh("box", unitMeshes.box());
  addMesh("sphere", unitMeshes.ball(manyBodies ? 14 : 32, manyBodies ? 4 : 10, false));
  addMesh("capsule", unitMeshes.ball(manyBodies ? 14 : 32, manyBodies ? 4 : 10, true));
  addMesh("ellipsoid", unitMeshes.egg(manyBodies ? 14 : 36, manyBodies ? 4 : 12));
  addMesh("cylinder", unitMeshes.tube(1, 1, manyBodies ? 14 : 36));
  addMesh("dot", unitMeshes.ball(12, 4, false));
  addMesh("shaft", unitMeshes.tube(1, 1, 10));
  addMesh("tip", unitMeshes.tube(1, 0, 14));
  addMesh("cone", unitMeshes.tube(0, 1, 36).slice());
  const addMeshes = list => { for (const m of list) addMesh("mesh" + m.id, meshVertices(m)); };
  addMeshes(triangles);

  const groundVao = gl.createVertexArray();
  gl.bindVertexArray(groundVao);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 8, 0);
  gl.bindVertexArray(null);

  const shadowSize = manyBodies ? 1024 : 2048, shadowMap = gl.createTexture(), shadowFrame = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, shadowMap);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, shadowSize, shadowSize);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  gl.bindFramebuffer(gl.FRAMEBUFFER, shadowFrame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, shadowMap, 0);
  gl.drawBuffers([gl.NONE]);
  gl.readBuffer(gl.NONE);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);

  // Lines through points that carry times: a quad an edge, widened in the shader.
  function addLine(points, times) {
    const n = times.length - 1, data = new Float32Array(Math.max(0, n) * 6 * 10), corner = [[-1, 0], [1, 0], [1, 1], [-1, 0], [1, 1], [-1, 1]];
    for (let i = 0; i < n; ++i)
      for (let k = 0; k < 6; ++k)
        data.set([...points[i], ...points[i + 1], times[i], times[i + 1], ...corner[k]], (6 * i + k) * 10);
    const vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    [[3, 0], [3, 12], [2, 24], [2, 32]].forEach(([size, at], k) => { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, size, gl.FLOAT, false, 40, at); });
    gl.bindVertexArray(null);
    return { vao, count: 6 * Math.max(0, n) };
  }

  // What the solids of each list are, into the textures of their meshes.
  function fill(lists) {
    gl.activeTexture(gl.TEXTURE1);
    for (const name in lists) {
      const mesh = meshes[name], list = lists[name], rows = Math.ceil(list.n / 64);
      if (!mesh || !rows) continue;
      gl.bindTexture(gl.TEXTURE_2D, mesh.texture);
      if (rows > mesh.rows) {
        mesh.rows = 2 * rows;
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 256, mesh.rows, 0, gl.RGBA, gl.FLOAT, null);
        for (const p of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, p, gl.NEAREST);
      }
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 256, rows, gl.RGBA, gl.FLOAT, list.data);
    }
    gl.activeTexture(gl.TEXTURE0);
  }
  function drawTiles(mesh, data, i, matrix) {
    const o = INSTANCE * i, q = [data[o + 4], data[o + 5], data[o + 6], data[o + 7]], p = [data[o], data[o + 1], data[o + 2]];
    let start = -1, end = -1;                                          // neighbours in the index are drawn by one call
    for (const t of [...mesh.tiles, null]) {
      const seen = t && inSight(matrix, vec.add(p, turn(q, t.centre)), t.radius);
      if (start >= 0 && !(seen && t.start === end)) { gl.drawElements(gl.TRIANGLES, end - start, gl.UNSIGNED_INT, 4 * start); start = -1; }
      if (seen) { if (start < 0) start = t.start; end = t.start + t.count; }
    }
  }
  function drawLists(lists, program, matrix) {
    gl.activeTexture(gl.TEXTURE1);
    gl.uniform1i(program.at.uData, 1);
    for (const name in lists) {
      const mesh = meshes[name], n = mesh ? lists[name].n : 0;
      if (!n) continue;
      if (mesh.closed) gl.enable(gl.CULL_FACE); else gl.disable(gl.CULL_FACE);
      gl.bindVertexArray(mesh.vao);
      gl.bindTexture(gl.TEXTURE_2D, mesh.texture);
      for (let first = 0; first < n; first += mesh.copies) {
        gl.uniform1i(program.at.uFirst, first);
        if (mesh.tiles && mesh.copies === 1) { drawTiles(mesh, lists[name].data, first, matrix); continue; }
        gl.drawElements(gl.TRIANGLES, mesh.count * Math.min(mesh.copies, n - first), gl.UNSIGNED_INT, 0);
      }
    }
    gl.disable(gl.CULL_FACE);
    gl.activeTexture(gl.TEXTURE0);
  }

  // The light: from high on the left, over a disc of radius `reach` about `centre`.
  function lightMatrix(centre, reach) {
    return mat.mul(mat.ortho(reach, reach, 0.1 * reach, 6 * reach), mat.look(vec.add(centre, vec.mul(3 * reach, sun)), centre, [0, 0, 1]));
  }

  function useSolid(v, shade, alpha, flat, edge = 0) {
    gl.useProgram(solid.p);
    gl.uniformMatrix4fv(solid.at.uView, false, v.matrix);
    gl.uniformMatrix4fv(solid.at.uLight, false, v.light);
    gl.uniform3fv(solid.at.uEye, v.eye);
    gl.uniform3fv(solid.at.uSun, sun);
    gl.uniform1f(solid.at.uShade, shade ? 1 : 0);
    gl.uniform1f(solid.at.uAlpha, alpha);
    gl.uniform1f(solid.at.uFlat, flat);
    gl.uniform1f(solid.at.uEdge, edge);
    gl.uniform1i(solid.at.uShadow, 0);
  }

  // One panel: `v` has rect (pixels, from below), matrix, eye, centre, reach, background; `s` what is in it.
  function panel(v, s) {
    v.light = lightMatrix(v.centre, v.reach);
    fill(s.solids);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    const mapped = s.shadows && !s.flatten;
    if (mapped) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, shadowFrame);
      gl.viewport(0, 0, shadowSize, shadowSize);
      gl.disable(gl.SCISSOR_TEST);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(depth.p);
      gl.uniformMatrix4fv(depth.at.uView, false, v.light);
      gl.uniformMatrix4fv(depth.at.uLight, false, v.light);
      gl.uniform1f(depth.at.uNearer, 0);
      drawLists(s.solids, depth, v.light);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    }
    gl.viewport(...v.rect);
    gl.scissor(...v.rect);
    gl.enable(gl.SCISSOR_TEST);
    gl.clearColor(...v.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    useSolid(v, mapped, 1, 0);
    drawLists(s.solids, solid, v.matrix);
    if (batch) batch.solids(v.matrix);

    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    // One ground that is nowhere seen through is drawn over the background without looking at what is there.
    const opaque = s.grounds.length === 1 && s.grounds[0].solid === 1, ground = groundFor(mapped, opaque);
    if (opaque) gl.disable(gl.BLEND);
    gl.useProgram(ground.p);
    gl.bindVertexArray(groundVao);
    gl.uniformMatrix4fv(ground.at.uView, false, v.matrix);
    gl.uniformMatrix4fv(ground.at.uLight, false, v.light);
    gl.uniform1i(ground.at.uShadow, 0);
    gl.uniform3fv(ground.at.uBehind, v.background);
    gl.uniform1f(ground.at.uDark, dark);
    for (const g of s.grounds) {
      gl.uniform3fv(ground.at.uOrigin, g.origin);
      gl.uniform3fv(ground.at.uX, g.x);
      gl.uniform3fv(ground.at.uY, g.y);
      gl.uniform2fv(ground.at.uCentre, g.centre);
      gl.uniform1f(ground.at.uSize, g.size);
      gl.uniform1f(ground.at.uStep, g.step);
      gl.uniform1f(ground.at.uSolid, g.solid);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    if (s.shadows && s.flatten) {                                  // the darker of shadow and ground: overlaps do not add up
      const matrix = mat.mul(v.matrix, s.flatten);
      gl.blendEquation(gl.MIN);
      gl.useProgram(depth.p);
      gl.uniformMatrix4fv(depth.at.uView, false, matrix);
      gl.uniform1f(depth.at.uNearer, 0.0004);
      drawLists(s.solids, depth, matrix);
      if (batch) batch.shadows(matrix);
      gl.blendEquation(gl.FUNC_ADD);
    }
    gl.useProgram(line.p);
    gl.uniformMatrix4fv(line.at.uView, false, v.matrix);
    gl.uniform2f(line.at.uPixel, 1 / v.rect[2], 1 / v.rect[3]);
    for (const l of s.lines) {
      gl.uniform4fv(line.at.uColour, l.colour);
      gl.uniform1f(line.at.uNow, l.now);
      gl.uniform1f(line.at.uWidth, l.width);
      gl.bindVertexArray(l.line.vao);
      gl.drawArrays(gl.TRIANGLES, 0, l.line.count);
    }
    if (s.ghosts) { fill(s.ghosts); useSolid(v, false, 1, 0.3, 0.8); drawLists(s.ghosts, solid, v.matrix); }
    // Marks: first faintly through everything, then where they are in sight.
    fill(s.marks);
    gl.disable(gl.DEPTH_TEST);
    useSolid(v, false, 0.38, 0.75);
    drawLists(s.marks, solid, v.matrix);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    useSolid(v, false, 1, 0.55);
    drawLists(s.marks, solid, v.matrix);
    gl.depthMask(false);
    fill(s.glass);
    useSolid(v, false, 1, 0.8);
    drawLists(s.glass, solid, v.matrix);
    gl.depthMask(true);
    gl.disable(gl.SCISSOR_TEST);
    gl.bindVertexArray(null);
  }
  let dark = 0;
  const theme = isDark => { dark = isDark ? 1 : 0; };
  function clear(colour) {
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(...colour, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }
  return { gl, panel, addLine, addMeshes, clear, meshes, theme };
}

// Lists of instances that grow.
function createLists() {
  const lists = {};
  return {
    lists,
    clear() { for (const name in lists) lists[name].n = 0; },
    add(name, px, py, pz, radius, qx, qy, qz, qw, hx, hy, hz, pattern, r, g, b, a) {
      let l = lists[name];
      if (!l) l = lists[name] = { n: 0, data: new Float32Array(64 * INSTANCE) };
      if ((l.n + 1) * INSTANCE > l.data.length) { const d = new Float32Array(2 * l.data.length); d.set(l.data); l.data = d; }
      const d = l.data, o = INSTANCE * l.n++;
      d[o] = px; d[o + 1] = py; d[o + 2] = pz; d[o + 3] = radius;
      d[o + 4] = qx; d[o + 5] = qy; d[o + 6] = qz; d[o + 7] = qw;
      d[o + 8] = hx; d[o + 9] = hy; d[o + 10] = hz; d[o + 11] = pattern;
      d[o + 12] = r; d[o + 13] = g; d[o + 14] = b; d[o + 15] = a;
    },
  };
}
