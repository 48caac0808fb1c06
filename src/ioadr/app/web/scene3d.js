// A scene of one depth map in WebGL: points or a mesh, seen from anywhere.
//
//   const scene = new Scene3D(canvas, { width, height, positions, cells, pitch, flying });
//   scene.colour(rgb);            // Uint8Array, 3 per point
//   scene.showAll(true);          // what comes after the pixels, or not
//   scene.mode = "mesh";          // or "points"; a mesh has points where it is torn
//   scene.clip = { low, high };   // corners of the box that is shown
//   scene.draw();
//
// `positions` has x right, y up, z towards the viewer for each pixel, NaN where there is none; the reference camera is
// the origin. Points after those of width × height pixels are no pixels: other views saw them. With them, pixels that
// are `flying` (1 for each that lies on no surface) are left out. `cells` says how triangles cover the surface (see `surface_cells` in the package). Dragging orbits, with
// Shift, the right button or two fingers it moves; the wheel zooms once the canvas has been clicked.
"use strict";

const VERTEX = `#version 300 es
in vec3 place; in vec3 tint; uniform mat4 matrix; uniform float size; out vec3 colour; out vec3 spot;
void main() { gl_Position = matrix * vec4(place, 1.0); gl_PointSize = clamp(size * -place.z / gl_Position.w, 1.0, 24.0); colour = tint; spot = place; }`;
const FRAGMENT = `#version 300 es
precision highp float; in vec3 colour; in vec3 spot; uniform vec3 low; uniform vec3 high; out vec4 shown;
void main() { if (any(lessThan(spot, low)) || any(greaterThan(spot, high))) discard; shown = vec4(colour, 1.0); }`;

class Scene3D {
  constructor(canvas, { width, height, positions, cells, pitch, flying = null }) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true, alpha: true });
    if (!this.gl) throw new Error("no WebGL 2");
    this.pitch = pitch;
    this.mode = "mesh";
    this.height = height;
    this.pixels = width * height;
    this.flying = flying;
    this.all = true;
    this.onview = [];
    this.clip = { low: [-1e30, -1e30, -1e30], high: [1e30, 1e30, 1e30] };
    this.program = this.build();
    this.measure(positions, height);
    this.upload(positions, cells, width, height);
    this.home();
    this.listen();
  }

  build() {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "place");
    gl.bindAttribLocation(program, 1, "tint");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return program;
  }

  /** Middle and size of the scene, from every 97th pixel. */
  measure(positions, height) {
    this.sample = [];
    for (let i = 0; i < positions.length; i += 3 * 97) {
      if (positions[i + 2] === positions[i + 2]) this.sample.push(positions.slice(i, i + 3));
    }
    const between = (axis, low, high) => {
      const sorted = this.sample.map((point) => point[axis]).sort((a, b) => a - b);
      return [low, high].map((share) => sorted[Math.floor(share * (sorted.length - 1))] || 0);
    };
    const [far, near] = between(2, 0.02, 0.98);
    this.depth = Math.max(near - far, -0.05 * near);
    this.middle = [...[0, 1].map((axis) => between(axis, 0.01, 0.99).reduce((a, b) => (a + b) / 2)), (near + far) / 2];
    this.fov = 2 * Math.atan((this.pitch * height) / 2) * 1.12;
  }

  upload(positions, cells, width, height) {
    const gl = this.gl, faces = Scene3D.faces(cells, width, height);
    this.faceIndex = this.buffer(gl.ELEMENT_ARRAY_BUFFER, faces);
    this.faceCount = faces.length;
    this.torn = Scene3D.torn(cells, width, height);
    this.positions = positions;
    this.places = this.buffer(gl.ARRAY_BUFFER, positions);
    this.tints = gl.createBuffer();
    this.choosePoints();
  }

  /** Which points are drawn: of the whole scene, and of a torn mesh. */
  choosePoints() {
    const { gl, pixels, positions } = this, shown = new Uint32Array(positions.length / 3);
    let count = 0;
    for (let i = 0; i < positions.length / 3; i++) if (this.shows(i)) shown[count++] = i;
    const further = shown.subarray(0, count).filter((i) => i >= pixels), torn = this.torn.filter((i) => this.shows(i));
    const ragged = new Uint32Array(torn.length + further.length);
    ragged.set(torn);
    ragged.set(further, torn.length);
    for (const buffer of [this.pointIndex, this.tornIndex]) if (buffer) gl.deleteBuffer(buffer);
    this.pointIndex = this.buffer(gl.ELEMENT_ARRAY_BUFFER, shown.subarray(0, count));
    this.tornIndex = this.buffer(gl.ELEMENT_ARRAY_BUFFER, ragged);
    [this.pointCount, this.tornCount] = [count, ragged.length];
  }

  shows(i) {
    const there = this.positions[3 * i + 2] === this.positions[3 * i + 2];
    return there && (i < this.pixels ? !(this.all && this.flying?.[i]) : this.all);
  }

  showAll(on) {
    this.all = on;
    this.choosePoints();
    this.draw();
  }

  buffer(target, values) {
    const buffer = this.gl.createBuffer();
    this.gl.bindBuffer(target, buffer);
    this.gl.bufferData(target, values, this.gl.STATIC_DRAW);
    return buffer;
  }

  /** Bit 0 of a cell: its diagonal falls to the right; bits 1 and 2: its left and right triangle belong to a surface. */
  static faces(cells, width, height) {
    const out = new Uint32Array(6 * cells.length);
    let at = 0;
    for (let n = 0, i = 0; n < height - 1; n++) {
      for (let m = 0; m < width - 1; m++, i++) {
        const a = n * width + m, b = a + 1, c = a + width, d = c + 1, falling = cells[i] & 1;
        if (cells[i] & 2) { out[at++] = a; out[at++] = c; out[at++] = falling ? d : b; }
        if (cells[i] & 4) { out[at++] = falling ? a : c; out[at++] = d; out[at++] = b; }
      }
    }
    return out.subarray(0, at);
  }

  /** Pixels that are not surrounded by surface: drawn as points, so that a torn mesh shows no ribbons. */
  static torn(cells, width, height) {
    const whole = new Uint8Array(width * height).fill(1);
    for (let n = 0, i = 0; n < height - 1; n++) {
      for (let m = 0; m < width - 1; m++, i++) {
        if ((cells[i] & 6) !== 6) for (const k of [0, 1, width, width + 1]) whole[n * width + m + k] = 0;
      }
    }
    return Uint32Array.from(whole.keys()).filter((i) => !whole[i]);
  }

  /** The same pixels in other places; the view stays, fitted anew. */
  moveTo(positions) {
    this.positions = positions;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.places);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, positions, this.gl.STATIC_DRAW);
    this.measure(positions, this.height);
    this.target = [...this.middle];
    this.distance = this.fitting();
    this.draw();
  }

  /** Corners of a box around nearly all points. */
  extent() {
    const sides = [0, 1, 2].map((axis) => this.sample.map((point) => point[axis]).sort((a, b) => a - b));
    const at = (sorted, share) => sorted[Math.floor(share * (sorted.length - 1))] || 0;
    return { low: sides.map((sorted) => at(sorted, 0.002)), high: sides.map((sorted) => at(sorted, 0.998)) };
  }

  inside(i) {
    return [0, 1, 2].every((k) => this.positions[3 * i + k] >= this.clip.low[k] && this.positions[3 * i + k] <= this.clip.high[k]);
  }

  /** Place on the canvas in CSS px, and distance from the eye; NaN behind it. */
  seen(i, matrix = this.matrix()) {
    const x = this.positions[3 * i], y = this.positions[3 * i + 1], z = this.positions[3 * i + 2];
    const w = matrix[3] * x + matrix[7] * y + matrix[11] * z + matrix[15];
    const across = (matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12]) / w;
    const up = (matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13]) / w;
    if (!(w > 0)) return [NaN, NaN, NaN];
    return [((across + 1) / 2) * this.canvas.clientWidth, ((1 - up) / 2) * this.canvas.clientHeight, w];
  }

  /** Index of the foremost point near a place of the canvas, or −1. */
  pick(x, y, radius = 6) {
    const matrix = this.matrix(), near = [];
    let front = Infinity;
    for (let i = 0; i < this.positions.length / 3; i++) {
      const [px, py, w] = this.seen(i, matrix), distance = Math.hypot(px - x, py - y);
      if (!(distance < radius) || !this.inside(i) || !this.shows(i)) continue;
      near.push([i, w, distance]);
      if (w < front) front = w;
    }
    const foremost = near.filter(([, w]) => w < front * 1.01).sort((a, b) => a[2] - b[2]);
    return foremost.length ? foremost[0][0] : -1;
  }

  colour(rgb) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.tints);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, rgb, this.gl.STATIC_DRAW);
    this.draw();
  }

  /** A little to the side of the camera, so that the eye sees depth at once. */
  home() {
    this.yaw = 0.3;
    this.tilt = -0.12;
    this.target = [...this.middle];
    this.distance = this.fitting();
    this.draw();
  }

  /** The distance from which nearly all points are on the canvas. */
  fitting() {
    const { right, up, back } = this.axes();
    const tall = 0.94 * Math.tan(this.fov / 2), wide = (tall * this.canvas.clientWidth) / this.canvas.clientHeight;
    const needed = this.sample.map((point) => {
      const [x, y, z] = [right, up, back].map((axis) => axis.reduce((sum, value, k) => sum + value * (point[k] - this.middle[k]), 0));
      return z + Math.max(Math.abs(x) / wide, Math.abs(y) / tall);
    });
    needed.sort((a, b) => a - b);
    return needed[Math.floor(0.985 * (needed.length - 1))] || 1;
  }

  listen() {
    const canvas = this.canvas, fingers = new Map();
    canvas.style.touchAction = "pan-y";
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.home());
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event, fingers));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
    addEventListener("resize", () => this.draw());
    addEventListener("beforeprint", () => this.render());
  }

  drag(event, fingers) {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const dx = event.clientX - last[0], dy = event.clientY - last[1];
    const other = [...fingers.entries()].find(([id]) => id !== event.pointerId);
    if (other) {
      const before = Math.hypot(last[0] - other[1][0], last[1] - other[1][1]);
      const after = Math.hypot(event.clientX - other[1][0], event.clientY - other[1][1]);
      if (before > 0 && after > 0) this.distance *= before / after;
      this.move(dx / 2, dy / 2);
    } else if (event.shiftKey || event.buttons === 2) {
      this.move(dx, dy);
    } else {
      this.yaw -= dx * 0.006;
      this.tilt = Math.min(Math.max(this.tilt - dy * 0.006, -1.5), 1.5);
    }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    this.draw();
  }

  /** Shift the target in the plane of the screen. */
  move(dx, dy) {
    const step = (2 * this.distance * Math.tan(this.fov / 2)) / this.canvas.clientHeight;
    const { right, up } = this.axes();
    for (let k = 0; k < 3; k++) this.target[k] += (-dx * right[k] + dy * up[k]) * step;
  }

  wheel(event) {
    if (document.activeElement !== this.canvas) return; // the page scrolls until the scene is chosen
    event.preventDefault();
    this.distance *= Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.001));
    this.draw();
  }

  key(event) {
    const turn = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (turn) {
      this.yaw += turn[0];
      this.tilt = Math.min(Math.max(this.tilt + turn[1], -1.5), 1.5);
    } else if (event.key === "+" || event.key === "-") this.distance *= event.key === "+" ? 0.8 : 1.25;
    else if (event.key === "0") return this.home();
    else return;
    event.preventDefault();
    this.draw();
  }

  /** Unit vectors of the screen: right, up, and back towards the eye. */
  axes() {
    const [cy, sy, ct, st] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.tilt), Math.sin(this.tilt)];
    return { right: [cy, 0, -sy], up: [sy * st, ct, cy * st], back: [sy * ct, -st, cy * ct] };
  }

  matrix() {
    const { right, up, back } = this.axes();
    const eye = this.target.map((value, k) => value + back[k] * this.distance);
    const dot = (axis) => -(axis[0] * eye[0] + axis[1] * eye[1] + axis[2] * eye[2]);
    const f = 1 / Math.tan(this.fov / 2), aspect = this.canvas.width / this.canvas.height;
    const near = 0.02 * this.distance, far = this.distance + 8 * this.depth + 2 * Math.abs(this.middle[2]);
    const p = (far + near) / (near - far), q = (2 * far * near) / (near - far);
    const out = [];
    for (let k = 0; k < 3; k++) out.push((right[k] * f) / aspect, up[k] * f, back[k] * p, -back[k]);
    out.push((dot(right) * f) / aspect, dot(up) * f, dot(back) * p + q, -dot(back));
    return out;
  }

  draw() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => this.render());
  }

  render() {
    this.scheduled = false;
    const gl = this.gl, ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * ratio);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(this.program);
    gl.uniformMatrix4fv(gl.getUniformLocation(this.program, "matrix"), false, this.matrix());
    const dots = (1.3 * this.pitch * this.canvas.height) / (2 * Math.tan(this.fov / 2));
    gl.uniform1f(gl.getUniformLocation(this.program, "size"), dots);
    for (const side of ["low", "high"]) gl.uniform3fv(gl.getUniformLocation(this.program, side), this.clip[side]);
    this.attribute(0, this.places, gl.FLOAT, false);
    this.attribute(1, this.tints, gl.UNSIGNED_BYTE, true);
    const mesh = this.mode === "mesh";
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh ? this.faceIndex : this.pointIndex);
    gl.drawElements(mesh ? gl.TRIANGLES : gl.POINTS, mesh ? this.faceCount : this.pointCount, gl.UNSIGNED_INT, 0);
    if (mesh) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.tornIndex);
      gl.drawElements(gl.POINTS, this.tornCount, gl.UNSIGNED_INT, 0);
    }
    for (const told of this.onview) told();
  }

  attribute(index, buffer, type, normalised) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.enableVertexAttribArray(index);
    this.gl.vertexAttribPointer(index, 3, type, normalised, 0, 0);
  }
}
