// The figures of the chosen pixel: EPIs, cost curve, 4D-PPI, weights and plane.
"use strict";

/** An EPI with the estimated line and, dashed, the trial's; it shows what the panes show of its row or column. */
class Epi {
  constructor(parent, title, name, chosen) {
    this.panel = panel(parent, title, name);
    this.chosen = chosen;
    this.panel.body.addEventListener("click", (event) => {
      const chart = this.panel.body.querySelector("svg");
      if (!chart) return;
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
      this.chosen(Math.floor(place.x));
    });
  }

  /** place: pixel along the EPI; from, size: the part that is shown; hidden: by view. */
  draw({ epi, length, place, from, size, disparity, trial, hidden }) {
    const count = epi.offsets.length;
    this.panel.body.replaceChildren();
    const chart = svg("svg", { viewBox: `${from} 0 ${size} ${count}`, preserveAspectRatio: "none", role: "img", "aria-label": "Epipolar plane image" }, this.panel.body);
    svg("image", { href: `data:image/png;base64,${epi.png}`, width: length, height: count, preserveAspectRatio: "none" }, chart);
    const line = (d) => epi.offsets.map((offset, k) => `${place + 0.5 - d * offset},${k + 0.5}`).join(" ");
    if (disparity !== null) {
      svg("polyline", { class: "trace under", points: line(disparity) }, chart);
      svg("polyline", { class: "trace estimate", points: line(disparity) }, chart);
      const arm = (size / chart.clientWidth) * 5 || 1, up = (count / (chart.clientHeight || 92)) * 5;
      epi.offsets.forEach((offset, k) => {
        if (!hidden(epi.views[k])) return;
        const x = place + 0.5 - disparity * offset, y = k + 0.5;
        svg("path", { class: "trace hidden", d: `M${x - arm} ${y - up}L${x + arm} ${y + up}M${x + arm} ${y - up}L${x - arm} ${y + up}` }, chart);
      });
    }
    if (trial !== null) svg("polyline", { class: "trace trial", points: line(trial) }, chart);
    this.panel.output.textContent = disparity === null ? "" : `${fixed(disparity, 3)} px per view${trial === null ? "" : `, trial ${fixed(trial, 3)}`}`;
  }
}

/** Both EPIs through the pixel, showing what the viewer shows of their row and column. */
function drawEpis(epis, answer, trial, scene, viewer) {
  const shared = { disparity: answer.disparity, trial, hidden: ([l, k]) => answer.image.hidden[l][k] };
  const parts = {
    row: { length: scene.width, place: answer.column, from: viewer.left, size: scene.width / viewer.zoom },
    column: { length: scene.height, place: answer.row, from: viewer.top, size: scene.height / viewer.zoom },
  };
  for (const [name, part] of Object.entries(parts)) {
    epis[name].panel.figure.hidden = !answer.epis[name];
    if (answer.epis[name]) epis[name].draw({ epi: answer.epis[name], ...part, ...shared });
  }
}

/** The 4D-PPI: one cell per view, crossed out where something nearer hides the point. */
function drawPointImage(made, image, reference, onview) {
  const rows = image.inside.length, columns = image.inside[0].length;
  made.body.replaceChildren();
  const size = 20 * Math.max(rows, columns);
  const chart = svg("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `${image.visible} views see the point` }, made.body);
  const group = svg("g", { transform: `translate(${(size - 20 * columns) / 2} ${(size - 20 * rows) / 2})` }, chart);
  image.inside.forEach((line, l) => line.forEach((inside, k) => {
    const state = !inside ? "outside" : image.hidden[l][k] ? "hidden" : "visible";
    const colour = inside ? `rgb(${image.colours[l][k].map(Math.round).join(" ")})` : "none";
    const cell = svg("rect", { class: `cell ${inside ? state : "empty"}`, x: 20 * k + 0.75, y: 20 * l + 0.75, width: 18.5, height: 18.5, fill: colour, "data-view": `${l},${k}`, "data-state": state }, group);
    svg("title", {}, cell, `view ${l}, ${k}: ${state === "hidden" ? "hidden by a nearer surface" : state === "outside" ? "outside the image, or missing" : "sees the point"}`);
    cell.addEventListener("click", () => onview([l, k]));
    if (state === "hidden") {
      const d = `M${20 * k + 5} ${20 * l + 5}l10 10m0 -10l-10 10`;
      svg("path", { class: "cross dark", d, "pointer-events": "none" }, group);
      svg("path", { class: "cross", d, "pointer-events": "none" }, group);
    }
  }));
  svg("rect", { class: "chosen", x: 20 * reference[1] + 1, y: 20 * reference[0] + 1, width: 18, height: 18 }, group);
  made.output.textContent = `${image.visible} of ${image.inside.flat().filter(Boolean).length}`;
  made.output.title = `${made.output.textContent} views see the point; in those crossed out, a nearer surface hides it`;
}

/** The grid of views as squares: `look(l, k)` gives each its class, attributes and title. */
function drawViews(body, rows, columns, reference, label, look, onview) {
  const size = 20 * Math.max(rows, columns);
  const chart = svg("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label }, body);
  const group = svg("g", { transform: `translate(${(size - 20 * columns) / 2} ${(size - 20 * rows) / 2})` }, chart);
  for (let l = 0; l < rows; l++) for (let k = 0; k < columns; k++) {
    const { title, ...attributes } = look(l, k);
    const cell = svg("rect", { x: 20 * k + 0.75, y: 20 * l + 0.75, width: 18.5, height: 18.5, "data-view": `${l},${k}`, ...attributes }, group);
    svg("title", {}, cell, `view ${l}, ${k}: ${title}`);
    cell.addEventListener("click", () => onview([l, k]));
  }
  svg("rect", { class: "chosen", x: 20 * reference[1] + 1, y: 20 * reference[0] + 1, width: 18, height: 18 }, group);
}

/** A part of the reference view around a pixel, as the ground for what is drawn over it. */
function windowAround(made, layers, scene, [row, column], half, label) {
  const side = 2 * half + 1, canvas = document.createElement("canvas");
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d"), data = context.createImageData(side, side);
  for (let i = 0; i < side * side; i++) {
    const n = row - half + Math.floor(i / side), m = column - half + (i % side);
    if (n < 0 || m < 0 || n >= scene.height || m >= scene.width) continue;
    for (let c = 0; c < 3; c++) data.data[4 * i + c] = layers.image[3 * (n * scene.width + m) + c];
    data.data[4 * i + 3] = 255;
  }
  context.putImageData(data, 0, 0);
  made.body.replaceChildren();
  const chart = svg("svg", { class: "window", viewBox: `${-half - 0.5} ${-half - 0.5} ${side} ${side}`, role: "img", "aria-label": label }, made.body);
  svg("image", { href: canvas.toDataURL(), x: -half - 0.5, y: -half - 0.5, width: side, height: side }, chart);
  return chart;
}

/** White on black, so that it shows on any colour. */
function outline(chart, kind, attributes) {
  for (const name of ["outline under", "outline"]) svg(kind, { class: name, ...attributes }, chart);
}

const strongest = (weights) => Math.max(...weights.flat().filter((w) => w !== null), 1e-9);

function drawWeights(made, support, layers, scene, pixel) {
  made.figure.hidden = !support;
  if (!support) return;
  const half = (support.weights.length - 1) / 2, most = strongest(support.weights);
  const chart = windowAround(made, layers, scene, pixel, half + 2, "Weights of the neighbours in J_coc");
  support.weights.forEach((line, n) => line.forEach((weight, m) => {
    if (weight) svg("rect", { class: "weight", x: m - half - 0.5, y: n - half - 0.5, width: 1, height: 1, "fill-opacity": (0.85 * weight) / most, "data-weight": weight }, chart);
  }));
  outline(chart, "rect", { x: -half - 0.5, y: -half - 0.5, width: 2 * half + 1, height: 2 * half + 1 });
  outline(chart, "rect", { x: -0.5, y: -0.5, width: 1, height: 1 });
  made.output.textContent = `mean ${fixed(support.smoothed, 3)} px`;
  made.output.title = "weighted mean of the neighbours' disparities";
}

/** Inlier normals as needles, the plane as a disc that lies in it, its normal standing on it. */
function drawPlane(made, plane, layers, scene, pixel) {
  made.figure.hidden = !plane;
  if (!plane) return;
  const half = Math.max(...plane.offsets.map(([n, m]) => Math.max(Math.abs(n), Math.abs(m))), 4);
  const chart = windowAround(made, layers, scene, pixel, half + 2, "Inlier normals and plane of J_pg");
  plane.offsets.forEach(([n, m], i) => {
    const [x, y] = plane.normals[i], inlier = plane.inlier[i];
    if (inlier) svg("line", { class: "needle", x1: m, y1: n, x2: m + 3 * x, y2: n + 3 * y }, chart);
    svg("circle", { class: inlier ? "foot" : "foot out", cx: m, cy: n, r: inlier ? 0.22 : 0.18 }, chart);
  });
  const [x, y, z] = plane.normal, radius = 0.42 * half, turn = (Math.atan2(y, x) * 180) / Math.PI;
  svg("ellipse", { class: "disc", rx: radius * Math.max(Math.abs(z), 0.02), ry: radius, transform: `rotate(${turn})` }, chart);
  svg("line", { class: "axis-needle", x1: 0, y1: 0, x2: 1.6 * radius * x, y2: 1.6 * radius * y }, chart);
  made.output.textContent = plane.counts ? `${fixed(plane.disparity, 3)} px` : "rejected";
  made.output.title = `${plane.inlier.filter(Boolean).length} of ${plane.inlier.length} normals agree within ${fixed(plane.limit, 1)}°; the plane gives ${fixed(plane.disparity, 4)} px${plane.counts ? "" : ", too far off to be used"}`;
}

function nothing(made, why) {
  made.body.replaceChildren();
  made.body.appendChild(document.createElement("p")).className = "note";
  made.body.firstChild.textContent = why;
  made.output.textContent = "";
}

/** What is drawn over the left pane, in px of the view. */
const OVERLAYS = {
  none: () => null,
  weights: (answer) => answer.support && ((context) => {
    const half = (answer.support.weights.length - 1) / 2, most = strongest(answer.support.weights);
    answer.support.weights.forEach((line, n) => line.forEach((weight, m) => {
      context.fillStyle = `rgb(255 47 126 / ${(0.8 * (weight || 0)) / most})`;
      if (weight) context.fillRect(answer.column + m - half, answer.row + n - half, 1, 1);
    }));
    for (const [colour, wide] of [["#000", 0.5], ["#fff", 0.2]]) {
      Object.assign(context, { strokeStyle: colour, lineWidth: wide });
      context.strokeRect(answer.column - half, answer.row - half, 2 * half + 1, 2 * half + 1);
    }
  }),
  plane: (answer) => answer.plane && ((context) => {
    answer.plane.offsets.forEach(([n, m], i) => {
      context.fillStyle = answer.plane.inlier[i] ? "#2de0ffc0" : "#00000070";
      context.fillRect(answer.column + m + 0.2, answer.row + n + 0.2, 0.6, 0.6);
    });
    const [x, y, z] = answer.plane.normal;
    context.beginPath();
    context.ellipse(answer.column + 0.5, answer.row + 0.5, 8 * Math.max(Math.abs(z), 0.02), 8, Math.atan2(y, x), 0, 2 * Math.PI);
    context.fillStyle = "#ff2f7e55";
    context.fill();
  }),
};

const totalOf = (costs, { terms }) => terms.reduce((sum, name) => sum + costs[name], 0);

/** Name, value and remark of what is known about the pixel. */
function numbers(answer, layers, scene, count) {
  const i = answer.row * scene.width + answer.column;
  const { disparity, costs, minimum } = answer, metres = DEPTHS[scene.unit].after;
  const found = [["Pixel", `${answer.row}, ${answer.column}`, "row, column"]];
  if (disparity === null) found.push(["Minimum", `${fixed(minimum.disparity, 3)} px`, "from the views alone"]);
  else {
    found.push(["Disparity", `${fixed(disparity, 4)} px`], ["Depth", `${fixed(layers.depth?.[i], 4)}${metres}`, metres ? "" : scene.unit]);
    if (layers.normals) found.push(["Normal", normalText(layers.normals, i)]);
    if (layers.confidence) found.push(["Confidence", trusted(layers.confidence[i]), answer.two_minima ? "two minima" : ""]);
    if (layers.visible) found.push(["Visible views", `${answer.image.visible}`, `of ${count}`]);
    found.push(["Cost", fixed(totalOf(costs, scene), 3), scene.terms.filter((name) => costs[name] || name === "data").map((name) => fixed(costs[name], 2)).join(" + ")]);
  }
  if (layers.truth) found.push(["Truth", `${fixed(layers.truth[i], 4)} px`, disparity === null ? "" : `off by ${fixed(disparity - layers.truth[i], 3)}`]);
  return found;
}

function numberBox([name, value, remark = ""]) {
  const box = document.createElement("div");
  box.appendChild(document.createElement("dt")).textContent = name;
  const text = box.appendChild(document.createElement("dd"));
  text.append(value, document.createElement("small"));
  text.lastChild.textContent = remark && ` ${remark}`;
  box.title = `${name}: ${value} ${remark}`;
  box.dataset.number = name;
  return box;
}
