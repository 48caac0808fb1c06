// The two linked panes: a view of the light field to the left, a map or the scene in 3D to the right.
"use strict";

/** A linked viewer whose panes may show another view: there the chosen point lies elsewhere. */
class ViewsViewer extends LinkedViewer {
  constructor(width, height) {
    super(width, height);
    this.onrender = () => {};
  }

  render() {
    super.render();
    this.onrender();
  }

  paint(pane) {
    const chosen = this.selected, pointed = this.cursor;
    if (pane.at) {
      if (chosen) this.selected = pane.at(...chosen);
      if (pointed && pane !== this.hovered) this.cursor = pane.at(...pointed);
    }
    super.paint(pane);
    [this.selected, this.cursor] = [chosen, pointed];
    if (pane.overlay) pane.overlay(pane.canvas.getContext("2d"));
  }

  point(place) {
    super.point(place);
    this.hovered = place ? this.panes.find((pane) => pane.canvas.matches(":hover")) : null;
  }

  select(row, column) {
    const pane = this.panes.find((pane) => pane.canvas === this.released);
    this.released = null;
    super.select(...(pane && pane.from ? pane.from(row, column) : [row, column]));
  }

  release(event) {
    this.released = event.currentTarget;
    super.release(event);
    this.released = null;
  }
}

class Views {
  constructor(scene, onselect) {
    this.scene = scene;
    this.layers = {};
    this.pictures = {};
    this.count = scene.views; // that a result uses
    this.view = null; // grid index of another view than the reference
    this.place = null; // or a place between the views, in the unit of their positions
    this.everyView = false; // whether the result has maps of all views
    this.continuous = false; // whether places between the views can be shown
    this.overlay = null;
    this.viewer = new ViewsViewer(scene.width, scene.height);
    this.viewer.onselect = onselect;
    const blank = (this.blank = document.createElement("canvas"));
    blank.width = blank.height = 1;
    this.left = this.viewer.add($("left"), { title: "Reference view", picture: blank, value: (n, m) => `row ${n}, col ${m}`, legend: { low: "" } });
    this.right = this.viewer.add($("right"), { title: "–", picture: blank, value: (n, m) => this.text(n, m), legend: { low: "" } });
    for (const [pane, name] of [[this.left, "view"], [this.right, "map"]]) {
      pane.figure.dataset.panel = name;
      pane.figure.querySelector("figcaption").appendChild(saveButtons(name, name, () => pane.canvas));
    }
    this.left.at = (n, m) => this.there(n, m);
    this.left.from = (n, m) => this.back(n, m);
    this.left.overlay = (context) => !this.offset() && this.overlay && this.overlay(context);
    this.pad = new ViewPad($("left"), scene, (...where) => this.onplace(...where));
    this.onplace = () => {};
    this.latest = 0;
  }

  title(pane, text) {
    pane.figure.querySelector("figcaption span").textContent = text;
  }

  /** By how much what is shown is moved per px of disparity; null for the reference view. */
  offset() {
    const { scene, view, place } = this;
    if (view) return scene.offsets[view[0]][view[1]];
    const home = scene.positions[scene.reference[0]][scene.reference[1]];
    return place && place.map((where, axis) => (where - home[axis]) * scene.eta[axis]);
  }

  /** Where the point of a reference pixel lies in the view that is shown. */
  there(n, m) {
    const d = this.layers.disparity ? this.layers.disparity[n * this.scene.width + m] : 0, offset = this.offset();
    if (!offset || !(d === d)) return [n, m];
    return [n - d * offset[0], m - d * offset[1]];
  }

  /** The reference pixel whose point lies there; found by a few steps along the map. */
  back(n, m) {
    const { width, height } = this.scene, offset = this.offset();
    if (!offset || !this.layers.disparity) return [n, m];
    const [down, right] = offset;
    let [row, column] = [n, m];
    for (let k = 0; k < 6; k++) {
      const d = this.layers.disparity[row * width + column];
      row = Math.min(Math.max(Math.round(n + d * down), 0), height - 1);
      column = Math.min(Math.max(Math.round(m + d * right), 0), width - 1);
    }
    return [row, column];
  }

  /** Shows the reference view, another one, what a camera between them would see, or the light field refocused. */
  async look({ view, place, focus, quick }) {
    const ticket = ++this.latest, { reference, width } = this.scene;
    view = view && (view[0] !== reference[0] || view[1] !== reference[1]) ? view : null;
    place = focus === null && this.continuous ? place : null;
    this.pad.show(view || reference, place);
    const thin = (least, size) => (quick ? Math.max(least, Math.round(width / size)) : 1);
    const shown =
      focus !== null ? [loaded(`api/refocus?disparity=${focus}&thin=${thin(2, 384)}`), `Focused at ${fixed(focus, 3)} px`]
      : place ? [loaded(`api/between?result=${this.result}&row=${place[0]}&column=${place[1]}&thin=${thin(1, 320)}`), `Between views: ${place.map((where) => fixed(where, 2)).join(", ")}`]
      : view ? [this.viewPicture(view), `View ${view[0]}, ${view[1]}`]
      : [this.pictures.image, "Reference view"];
    const picture = await shown[0];
    if (ticket !== this.latest) return;
    Object.assign(this, { view: focus === null && !place ? view : null, place });
    this.left.picture = picture;
    this.title(this.left, shown[1]);
    const how = this.everyView ? "rendered from the maps of all views" : "rendered from the reference view’s map; grey: not visible in it";
    this.left.figure.querySelector(".scale").replaceWith(LinkedViewer.legend({ low: place ? how : "" }));
    document.documentElement.dataset.looked = place ? `${place.map((where) => fixed(where, 2))}${quick ? ",quick" : ""}` : `${view || reference}`;
    this.viewer.draw();
  }

  viewPicture([row, column]) {
    this.known ||= new Map();
    const key = `${row},${column}`;
    if (!this.known.has(key)) this.known.set(key, loaded(`api/view/${row}/${column}`));
    return this.known.get(key);
  }

  /** The maps of a result, as arrays; null takes them away. */
  show(layers) {
    this.layers = this.completed(layers);
    this.pictures = { image: this.pictures.image };
    if (this.space) this.space.stale = true;
    if (this.chosen) this.choose(this.chosen);
  }

  /** With the view, the truth, and what follows from a result's maps. */
  completed(layers) {
    const { image, truth } = this.layers, { rays } = this.scene, all = { image, truth, ...layers };
    if (all.disparity) {
      all.depth = all.disparity.map((d) => { const z = 1 / (rays.slope * d + rays.offset); return z > 0 ? z : NaN; });
      if (truth) all.error = all.disparity.map((d, i) => d - truth[i]);
    }
    return all;
  }

  kinds() {
    const has = (name) => Boolean(this.layers[name]), kinds = [];
    for (const [name, kind] of Object.entries(KINDS)) if (kind.needs.every(has)) kinds.push([name, kind.label]);
    return kinds;
  }

  choose(name) {
    const kind = KINDS[name];
    if (!kind || !kind.needs.every((layer) => this.layers[layer])) return;
    this.chosen = name;
    const flat = name !== "space";
    this.right.figure.hidden = !flat;
    if (this.space) this.space.figure.hidden = flat;
    if (!flat) return this.openSpace();
    const legend = kind.legend(this);
    this.pictures[name] ||= picture(this.scene.width, this.scene.height, kind.fill(this));
    this.right.picture = this.pictures[name];
    this.title(this.right, kind.title ? kind.title(this) : kind.label);
    this.right.figure.querySelector(".scale").replaceWith(LinkedViewer.legend(legend));
    this.viewer.draw();
  }

  clear(title) {
    this.chosen = null;
    this.right.picture = this.blank;
    this.title(this.right, title);
    this.viewer.draw();
  }

  text(n, m) {
    const kind = KINDS[this.chosen];
    const i = n * this.scene.width + m;
    return kind ? kind.text(this, i) + (this.wipe?.text(kind, i) ?? "") : "";
  }

  bounds() {
    const sorted = Float32Array.from(this.layers.disparity.filter((d, i) => i % 7 === 0 && d === d)).sort();
    return sorted.length ? [sorted[Math.floor(0.002 * sorted.length)], sorted[Math.floor(0.998 * (sorted.length - 1))]] : [0, 1];
  }

  openSpace() {
    this.space ||= new Space($("right"), this.scene, (row, column) => this.viewer.select(row, column));
    this.space.figure.hidden = false;
    this.space.open(this.layers, this.viewer.selected, this.result, this.everyView);
  }
}

const bar = (views, name, low, high) => ({ css: gradient(views.scene.scales[name]), low, high });
const near = (views, d) => 1 / (views.scene.rays.slope * d + views.scene.rays.offset);
const metres = (views) => DEPTHS[views.scene.unit].after;
const disparityBar = (views) => bar(views, "depth", `${fixed(views.bounds()[0], 2)} far`, `${fixed(views.bounds()[1], 2)} near`);

/** What the right pane can show. */
const KINDS = {
  disparity: {
    label: "Disparity", needs: ["disparity"], legend: disparityBar,
    fill: (views) => along(views.scene.scales.depth, views.layers.disparity, ...views.bounds()),
    text: (views, i) => `${fixed(views.layers.disparity[i], 3)} px`,
  },
  depth: {
    label: "Depth", title: (views) => DEPTHS[views.scene.unit].title, needs: ["depth"],
    legend: (views) => bar(views, "depth", ...views.bounds().map((d) => fixed(near(views, d), 2) + metres(views))),
    fill: (views) => along(views.scene.scales.depth, views.layers.depth.map((z) => -z), ...views.bounds().map((d) => -near(views, d))),
    text: (views, i) => fixed(views.layers.depth[i], 3) + metres(views),
  },
  normals: {
    label: "Normals", needs: ["normals"], legend: () => ({ low: "red: right, green: up, blue: towards the camera" }),
    fill: (views) => channels(views.layers.normals), text: (views, i) => normalText(views.layers.normals, i),
  },
  confidence: {
    label: "Confidence", needs: ["confidence"], legend: (views) => bar(views, "confidence", "0", "1"),
    fill: (views) => along(views.scene.scales.confidence, views.layers.confidence, 0, 1),
    text: (views, i) => trusted(views.layers.confidence[i]),
  },
  visible: {
    label: "Visible", title: () => "Visible views", needs: ["visible"], legend: (views) => bar(views, "confidence", "0", String(views.count)),
    fill: (views) => along(views.scene.scales.confidence, views.layers.visible, 0, views.count),
    text: (views, i) => `${views.layers.visible[i]} of ${views.count}`,
  },
  truth: {
    label: "Truth", needs: ["truth", "disparity"], legend: disparityBar,
    fill: (views) => along(views.scene.scales.depth, views.layers.truth, ...views.bounds()),
    text: (views, i) => `${fixed(views.layers.truth[i], 3)} px`,
  },
  error: {
    label: "Error", title: () => "Error against truth", needs: ["error"], legend: (views) => bar(views, "signed", "−0.1 too far", "0.1 too near"),
    fill: (views) => along(views.scene.scales.signed, views.layers.error, -0.1, 0.1),
    text: (views, i) => `${fixed(views.layers.error[i], 3)} px`,
  },
  bad: {
    label: "Bad", title: () => "Bad pixels", needs: ["error"],
    legend: () => ({ css: "linear-gradient(to right, #dcdad6 25%, #e7b04a 25% 50%, #d9603b 50% 75%, #7d1d3f 75%)", low: "good", high: "over 0.07 px" }),
    fill: (views) => bad(views.layers.error), text: (views, i) => `${fixed(views.layers.error[i], 3)} px`,
  },
  space: { label: "3D", needs: ["depth", "normals"], legend: () => ({}), text: () => "" },
};

function loaded(address) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error(`${address} could not be shown`));
    image.src = address;
  });
}

/** The views as a small pad of dots: dragging over it looks from other places, captured or between. */
class ViewPad {
  /**
   * chosen(place, lasting, way): where to look from, in the unit of the views' positions; null is the reference view.
   * `way` is where a key wants to go, as steps on the grid.
   */
  constructor(parent, scene, chosen) {
    Object.assign(this, { scene, chosen });
    this.captured = scene.positions.flatMap((line, l) => line.map((place, k) => ({ place, view: [l, k] }))).filter(({ view: [l, k] }) => scene.present[l][k]);
    const along = [0, 1].map((axis) => this.captured.map(({ place }) => place[axis]));
    this.low = along.map((values) => Math.min(...values));
    this.high = along.map((values) => Math.max(...values));
    const nearest = this.captured.map((one) => Math.min(...this.captured.filter((other) => other !== one).map((other) => distance(one.place, other.place)))).sort((a, b) => a - b);
    this.unit = nearest[nearest.length >> 1] || 1; // between neighbours
    const size = Math.max(this.high[0] - this.low[0], this.high[1] - this.low[1]) + this.unit;
    const [top, left] = [0, 1].map((axis) => (this.low[axis] + this.high[axis] - size) / 2);
    this.svg = svg("svg", { class: "pad", viewBox: `${left} ${top} ${size} ${size}`, role: "slider", tabindex: 0, "aria-roledescription": "pad", "aria-label": "Where to look from: drag, or use the arrow keys; w a s d go to the next view", "aria-valuemin": 0, "aria-valuemax": this.captured.length }, parent);
    for (const one of this.captured) one.dot = svg("circle", { cx: one.place[1], cy: one.place[0], r: 0.3 * this.unit }, this.svg);
    this.of(scene.reference).dot.classList.add("reference");
    this.mark = svg("circle", { r: 0.34 * this.unit, class: "mark", "stroke-width": 0.16 * this.unit }, this.svg);
    this.listen();
  }

  of([l, k]) {
    return this.captured.find(({ view }) => view[0] === l && view[1] === k);
  }

  /** The captured view so close to a place that it is meant; where only captured ones can be shown, the nearest. */
  meant(place, only) {
    const near = this.captured.reduce((a, b) => (distance(a.place, place) <= distance(b.place, place) ? a : b));
    return only || distance(near.place, place) <= SNAP * this.unit ? near.view : null;
  }

  inside(place) {
    return place.map((where, axis) => Math.min(Math.max(where, this.low[axis]), this.high[axis]));
  }

  listen() {
    const pick = (event, lasting) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      this.chosen(this.inside([at.y, at.x]), lasting);
    };
    this.svg.addEventListener("pointerdown", (event) => { this.svg.setPointerCapture(event.pointerId); this.down = true; pick(event, false); });
    this.svg.addEventListener("pointermove", (event) => this.down && pick(event, false));
    this.svg.addEventListener("pointerup", (event) => { this.down = false; pick(event, true); });
    this.svg.addEventListener("pointercancel", () => { this.down = false; });
    this.svg.addEventListener("dblclick", () => this.chosen(null, true));
    this.svg.addEventListener("keydown", (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (!step) return;
      event.preventDefault();
      this.step(...step);
    });
  }

  /** A quarter of the way to the next view. */
  step(down, right) {
    const [row, column] = this.at;
    this.chosen(this.inside([row + 0.25 * down * this.unit, column + 0.25 * right * this.unit]), true, [down, right]);
  }

  /** The captured view, or else the place between them, that is shown. */
  show(view, place) {
    for (const dot of this.svg.querySelectorAll(".on")) dot.classList.remove("on");
    this.at = place || this.of(view).place;
    if (!place) this.of(view).dot.classList.add("on");
    Object.entries({ cx: this.at[1], cy: this.at[0], visibility: place ? "visible" : "hidden" }).forEach(([name, value]) => this.mark.setAttribute(name, value));
    this.svg.setAttribute("aria-valuenow", this.captured.indexOf(this.of(this.meant(this.at, true))));
    this.svg.setAttribute("aria-valuetext", place ? `between the views, at row ${fixed(place[0], 2)}, column ${fixed(place[1], 2)}` : `view in row ${view[0]}, column ${view[1]}`);
  }
}

const SNAP = 0.2; // of the way to the next view: closer to a captured view, that one is shown
const distance = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);
