"use strict";
// Vectors, quaternions (x y z w) and 4x4 matrices (column-major, as WebGL takes them).
const vec = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  mul: (s, a) => [s * a[0], s * a[1], s * a[2]],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  len: a => Math.hypot(a[0], a[1], a[2]),
  unit: a => { const n = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / n, a[1] / n, a[2] / n]; },
};

function turn(q, v) {
  const [x, y, z, w] = q, tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

function quatMul(a, b) {
  return [a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]];
}

// The shortest turn that takes z to a unit vector.
function quatZTo(n) {
  if (n[2] < -0.999999) return [1, 0, 0, 0];
  const s = Math.sqrt(2 * (1 + n[2]));
  return [-n[1] / s, n[0] / s, 0, s / 2];
}

const mat = {
  mul(a, b) {
    const c = new Float32Array(16);
    for (let j = 0; j < 4; ++j)
      for (let i = 0; i < 4; ++i)
        c[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
    return c;
  },
  perspective(fov, aspect, near, far) {
    const f = 1 / Math.tan(fov / 2), c = new Float32Array(16);
    c[0] = f / aspect; c[5] = f; c[10] = (far + near) / (near - far); c[11] = -1; c[14] = 2 * far * near / (near - far);
    return c;
  },
  ortho(x, y, near, far) {
    const c = new Float32Array(16);
    c[0] = 1 / x; c[5] = 1 / y; c[10] = -2 / (far - near); c[14] = -(far + near) / (far - near); c[15] = 1;
    return c;
  },
  look(eye, target, up) {
    const z = vec.unit(vec.sub(eye, target)), x = vec.unit(vec.cross(up, z)), y = vec.cross(z, x);
    return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
                             -vec.dot(x, eye), -vec.dot(y, eye), -vec.dot(z, eye), 1]);
  },
  point(m, p) {
    const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    return [(m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w, (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w,
            (m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14]) / w, w];
  },
};

function hexColour(text) {
  const n = parseInt(text.slice(1), 16);
  return [(n >> 16 & 255) / 255, (n >> 8 & 255) / 255, (n & 255) / 255];
}

const mixColour = (a, b, t) => a.map((x, i) => x + t * (b[i] - x));
const hexOf = c => "#" + c.map(x => Math.round(255 * Math.min(1, Math.max(0, x))).toString(16).padStart(2, "0")).join("");

// A number for people: three digits, engineering where it is small or large.
function show(x, digits = 3) {
  if (x === 0) return "0";
  if (!isFinite(x)) return x > 0 ? "\u221E" : x < 0 ? "\u2212\u221E" : "\u2013";
  const a = Math.abs(x);
  const text = a < 1e-3 || a >= 1e5 ? x.toExponential(digits - 1) : Number(x.toPrecision(digits)).toString();
  return text.replace("e+", "e").replace(/-/g, "\u2212");
}

// The bytes that base64 stands for.
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
