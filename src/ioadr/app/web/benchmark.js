// Brings the benchmark's page to life from the data in it.
"use strict";

const $ = (id) => document.getElementById(id);
const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits).replace("-", "−") : "–");
const page = JSON.parse($("data").textContent);
const state = { scene: 0, threshold: 0.07, metric: "badpix_007", chosen: new Set([0, 1].filter((i) => i < page.methods.length)) };
const colour = (i) => `var(--series-${i % 10})`;
const scales = {}, unpacked = new Map();
let viewer = null, turn = 0;

/** Buttons of which one is pressed. */
function choice(place, names, pressed, onchoose) {
  place.replaceChildren();
  names.forEach(([value, label]) => {
    const button = place.appendChild(document.createElement("button"));
    button.value = value;
    button.textContent = label;
    button.setAttribute("aria-pressed", String(value === pressed));
    button.addEventListener("click", () => {
      for (const other of place.children) other.setAttribute("aria-pressed", String(other === button));
      onchoose(value);
    });
  });
  place.hidden = names.length < 2;
}

/** Chips that switch methods on and off, wherever they are on the page. */
function chips(place) {
  page.methods.forEach((method, i) => {
    const button = place.appendChild(document.createElement("button"));
    button.value = String(i);
    button.style.setProperty("--colour", colour(i));
    button.append(document.createElement("i"), method.name);
    button.addEventListener("click", () => {
      if (state.chosen.has(i)) state.chosen.delete(i);
      else state.chosen.add(i);
      press();
      show();
    });
  });
}

function press() {
  for (const button of document.querySelectorAll(".chips button")) {
    button.setAttribute("aria-pressed", String(state.chosen.has(Number(button.value))));
  }
}

/** Values of a packed map, unpacked once. */
async function values(layer) {
  if (!unpacked.has(layer)) unpacked.set(layer, await unpackValues(layer));
  return unpacked.get(layer);
}

/** Normals as colours, from the pinhole camera: right red, up green, towards the camera blue. */
function normals(d, { width, height, rays, thin }) {
  const place = (row, column) => {
    const n = Math.min(Math.max(row, 0), height - 1), m = Math.min(Math.max(column, 0), width - 1);
    const z = 1 / (rays.slope * d[n * width + m] + rays.offset);
    return [(m * thin - rays.m0) * rays.pitch_x * z, (n * thin - rays.n0) * rays.pitch_y * z, z];
  };
  const weights = [3, 10, 3];
  return (i, out, at) => {
    const row = Math.floor(i / width), column = i % width, a = [0, 0, 0], b = [0, 0, 0];
    for (let k = -1; k <= 1; k++) {
      const right = place(row + k, column + 1), left = place(row + k, column - 1);
      const below = place(row + 1, column + k), above = place(row - 1, column + k);
      for (let c = 0; c < 3; c++) {
        a[c] += weights[k + 1] * (right[c] - left[c]);
        b[c] += weights[k + 1] * (below[c] - above[c]);
      }
    }
    const n = [b[1] * a[2] - b[2] * a[1], b[2] * a[0] - b[0] * a[2], b[0] * a[1] - b[1] * a[0]];
    const length = Math.hypot(...n) * (n[2] > 0 ? -1 : 1);
    for (let c = 0; c < 3; c++) out[at + c] = Number.isFinite(length) && length ? 128 + (c ? -127 : 127) * (n[c] / length) : 128;
  };
}

/** Good pixels pale, bad ones red where too near and blue where too far; the unscored border dimmed. */
function badPixels(error, scene) {
  const { width, height, border } = scene;
  return (i, out, at) => {
    const row = Math.floor(i / width), column = i % width, e = error[i];
    const scored = row >= border && column >= border && row < height - border && column < width - border;
    const tone = e > state.threshold ? [196, 50, 60] : e < -state.threshold ? [40, 92, 180] : Number.isFinite(e) ? [232, 230, 226] : [20, 20, 20];
    for (let c = 0; c < 3; c++) out[at + c] = scored ? tone[c] : 0.5 * tone[c] + 80;
  };
}

async function centreView(scene) {
  const image = new Image();
  image.src = `data:image/jpeg;base64,${scene.view}`;
  await image.decode();
  return image;
}

async function show() {
  const mine = ++turn, scene = page.scenes[state.scene];
  drawCharts();
  const truth = await values(scene.truth);
  const chosen = [...state.chosen].sort((a, b) => a - b).filter((i) => scene.maps[i]);
  const maps = await Promise.all(chosen.map((i) => values(scene.maps[i])));
  const view = scene.view ? await centreView(scene) : null;
  if (mine !== turn) return; // another scene or method was chosen meanwhile
  const before = viewer;
  viewer = new LinkedViewer(scene.width, scene.height);
  if (before) {
    before.panes = [];
    if (before.width === viewer.width && before.height === viewer.height) {
      Object.assign(viewer, { zoom: before.zoom, left: before.left, top: before.top, selected: before.selected });
    }
  }
  $("given").replaceChildren();
  $("found").replaceChildren();
  givenPanes(scene, truth, view);
  chosen.forEach((method, k) => methodPanes(scene, truth, method, maps[k]));
  document.documentElement.dataset.ready = String(mine);
}

function pane(place, scene, title, content, value, legend) {
  const image = typeof content === "function" ? picture(scene.width, scene.height, content) : content;
  viewer.add(place, { title, picture: image, value: (n, m) => value(n * scene.width + m, n, m), legend });
}

const bar = (name, low, high) => ({ css: gradient(scales[name]), low, high });
const facingBar = { css: "linear-gradient(to right, #8080ff, #ff8080, #80ff80)", low: "facing", high: "right, up" };

function givenPanes(scene, truth, view) {
  const [low, high] = scene.shown, here = (i, n, m) => `row ${n * scene.thin}, col ${m * scene.thin}`;
  if (view) pane($("given"), scene, "Centre view", view, here, { css: "", low: "", high: "" });
  pane($("given"), scene, "Truth", along(scales.depth, truth, low, high), (i) => `${fixed(truth[i], 3)} px`, bar("depth", `${fixed(low, 2)} far`, `${fixed(high, 2)} near`));
  pane($("given"), scene, "True normals", normals(truth, scene), () => "", facingBar);
}

function methodPanes(scene, truth, method, map) {
  const block = $("found").appendChild(document.createElement("div"));
  block.className = "method";
  block.style.setProperty("--colour", colour(method));
  const head = block.appendChild(document.createElement("h3"));
  head.append(document.createElement("i"), page.methods[method].name);
  const place = block.appendChild(document.createElement("div"));
  place.className = "panes";
  const [low, high] = scene.shown, error = map.map((d, i) => d - truth[i]);
  pane(place, scene, "Estimate", along(scales.depth, map, low, high), (i) => `${fixed(map[i], 3)} px`, bar("depth", fixed(low, 2), fixed(high, 2)));
  pane(place, scene, "Signed error", along(scales.signed, error, -0.1, 0.1), (i) => `${fixed(error[i], 3)} px`, bar("signed", "−0.1 too far", "0.1 too near"));
  pane(place, scene, "Bad pixels", badPixels(error, scene), (i) => (Math.abs(error[i]) > state.threshold ? "bad" : ""),
    { css: "linear-gradient(to right, #285cb4 33%, #e8e6e2 33% 67%, #c4323c 67%)", low: `−${state.threshold}`, high: String(state.threshold) });
  pane(place, scene, "Normals", normals(map, scene), () => "", facingBar);
}

function drawCharts() {
  const scene = page.scenes[state.scene];
  const series = page.methods.map((method, i) => ({ name: method.name, colour: colour(i), strong: state.chosen.has(i), seconds: method.seconds }));
  $("curve-scene").textContent = scene.name;
  curveChart($("curves"), page.thresholds, series.map((s, i) => ({ ...s, values: scene.curves[i] })));
  const metric = page.metrics.find((m) => m.id === state.metric) || page.metrics[0];
  scatterChart($("scatter"), metric.label, series.map((s, i) => ({ ...s, value: page.means[metric.id][i] ?? NaN })));
  $("pace").hidden = !series.some((s) => s.seconds);
  const unknown = series.filter((s) => !s.seconds).map((s) => s.name);
  $("scatter-note").textContent = unknown.length ? `The runtime of ${unknown.join(", ")} is unknown.` : "";
  const axes = page.metrics.filter((m) => page.radar.includes(m.id));
  radarChart($("radar"), axes.map((m) => m.label), series.map((s, i) => ({ ...s, values: axes.map((m) => page.means[m.id][i] ?? NaN) })));
}

async function start() {
  for (const [name, scale] of Object.entries(page.scales)) scales[name] = await unpack(scale);
  choice($("scenes"), page.scenes.map((scene, i) => [String(i), scene.name]), "0", (value) => {
    state.scene = Number(value);
    show();
  });
  choice($("threshold"), [["0.07", "> 0.07"], ["0.03", "> 0.03"], ["0.01", "> 0.01 px"]], "0.07", (value) => {
    state.threshold = Number(value);
    show();
  });
  const offered = page.metrics.filter((m) => ["mse", "badpix_007", "badpix_001", "mae_planes"].includes(m.id));
  choice($("scatter-metric"), offered.map((m) => [m.id, m.label]), state.metric, (value) => {
    state.metric = value;
    drawCharts();
  });
  chips($("methods"));
  chips($("legend"));
  press();
  $("whole").addEventListener("click", () => viewer.reset());
  await show();
}

start();
