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
    this.overlay = null;
    this.viewer = new ViewsViewer(scene.width, scene.height);
    this.viewer.onselect = onselect;
    const blank = (this.blank = document.createElement("canvas"));
    blank.width = blank.height = 1;
    this.left = this.viewer.add($("left"), { title: "Reference view", picture: blank, value: (n, m) => `row ${n}, col ${m}` });
    this.right = this.viewer.add($("right"), { title: "–", picture: blank, value: (n, m) => this.text(n, m), legend: { low: "" } });
    for (const [pane, name] of [[this.left, "view"], [this.right, "map"]]) {
      pane.figure.dataset.panel = name;
      pane.figure.querySelector("figcaption").appendChild(saveButtons(name, name, () => pane.canvas));
    }
    this.left.at = (n, m) => this.there(n, m);
    this.left.from = (n, m) => this.back(n, m);
    this.left.overlay = (context) => !this.view && this.overlay && this.overlay(context);
    this.pad = new ViewPad($("left"), scene, (view) => this.onview(view));
    this.onview = () => {};
    this.latest = 0;
  }

  title(pane, text) {
    pane.figure.querySelector("figcaption span").textContent = text;
  }

  /** Where the point of a reference pixel lies in the view that is shown. */
  there(n, m) {
    const d = this.layers.disparity ? this.layers.disparity[n * this.scene.width + m] : 0;
    if (!this.view || !(d === d)) return [n, m];
    const [down, right] = this.scene.offsets[this.view[0]][this.view[1]];
    return [n - d * down, m - d * right];
  }

  /** The reference pixel whose point lies there; found by a few steps along the map. */
  back(n, m) {
    if (!this.view || !this.layers.disparity) return [n, m];
    const { width, height } = this.scene, [down, right] = this.scene.offsets[this.view[0]][this.view[1]];
    let [row, column] = [n, m];
    for (let k = 0; k < 6; k++) {
      const d = this.layers.disparity[row * width + column];
      row = Math.min(Math.max(Math.round(n + d * down), 0), height - 1);
      column = Math.min(Math.max(Math.round(m + d * right), 0), width - 1);
    }
    return [row, column];
  }

  /** Shows the reference view, another view, or the light field refocused. */
  async look(view, focus, quick) {
    const ticket = ++this.latest, reference = this.scene.reference;
    this.view = view && (view[0] !== reference[0] || view[1] !== reference[1]) ? view : null;
    this.pad.show(this.view || reference);
    if (focus !== null) {
      const picture = await loaded(`api/refocus?disparity=${focus}&thin=${quick ? Math.max(2, Math.round(this.scene.width / 384)) : 1}`);
      if (ticket !== this.latest) return;
      this.view = null;
      this.left.picture = picture;
      this.title(this.left, `Focused at ${fixed(focus, 3)} px`);
    } else if (this.view) {
      const picture = await this.viewPicture(this.view);
      if (ticket !== this.latest) return;
      this.left.picture = picture;
      this.title(this.left, `View ${this.view[0]}, ${this.view[1]}`);
    } else {
      this.left.picture = this.pictures.image;
      this.title(this.left, "Reference view");
    }
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
    this.space.open(this.layers, this.viewer.selected, this.result);
  }
}

const bar = (views, name, low, high) => ({ css: gradient(views.scene.scales[name]), low, high });
const near = (views, d) => 1 / (views.scene.rays.slope * d + views.scene.rays.offset);
const metres = (views) => (views.scene.unit === "m" ? " m" : "");
const disparityBar = (views) => bar(views, "depth", `${fixed(views.bounds()[0], 2)} far`, `${fixed(views.bounds()[1], 2)} near`);

/** What the right pane can show. */
const KINDS = {
  disparity: {
    label: "Disparity", needs: ["disparity"], legend: disparityBar,
    fill: (views) => along(views.scene.scales.depth, views.layers.disparity, ...views.bounds()),
    text: (views, i) => `${fixed(views.layers.disparity[i], 3)} px`,
  },
  depth: {
    label: "Depth", title: (views) => (views.scene.unit === "m" ? "Depth" : "Depth (relative)"), needs: ["depth"],
    legend: (views) => bar(views, "depth", ...views.bounds().map((d) => fixed(near(views, d), 2) + metres(views))),
    fill: (views) => along(views.scene.scales.depth, views.layers.depth.map((z) => -z), ...views.bounds().map((d) => -near(views, d))),
    text: (views, i) => fixed(views.layers.depth[i], 3) + metres(views),
  },
  normals: {
    label: "Normals", needs: ["normals"], legend: () => ({ low: "red right, green up, blue towards the camera" }),
    fill: (views) => channels(views.layers.normals), text: (views, i) => normalText(views.layers.normals, i),
  },
  confidence: {
    label: "Confidence", needs: ["confidence"], legend: (views) => bar(views, "confidence", "0", "1"),
    fill: (views) => along(views.scene.scales.confidence, views.layers.confidence, 0, 1),
    text: (views, i) => fixed(views.layers.confidence[i], 2),
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
    label: "Error", title: () => "Error against truth", needs: ["error"], legend: (views) => bar(views, "signed", "−0.1 far", "0.1 near"),
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

/** The grid of views as a small pad: dragging over it looks from other places. */
class ViewPad {
  constructor(parent, scene, chosen) {
    const rows = scene.present.length, columns = scene.present[0].length, size = Math.max(rows, columns);
    this.svg = svg("svg", { class: "pad", viewBox: `0 0 ${size} ${size}`, role: "img", tabindex: 0, "aria-label": "Grid of views; drag, or use w a s d, to look from another one" }, parent);
    const top = (size - rows) / 2, left = (size - columns) / 2;
    this.dots = scene.present.map((line, l) => line.map((there, k) => svg("circle", { cx: left + k + 0.5, cy: top + l + 0.5, r: 0.3, class: there ? "" : "missing" }, this.svg)));
    this.dots[scene.reference[0]][scene.reference[1]].classList.add("reference");
    const pick = (event) => {
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
      const l = Math.min(Math.max(Math.floor(place.y - top), 0), rows - 1), k = Math.min(Math.max(Math.floor(place.x - left), 0), columns - 1);
      if (scene.present[l][k]) chosen([l, k]);
    };
    this.svg.addEventListener("pointerdown", (event) => { this.svg.setPointerCapture(event.pointerId); this.down = true; pick(event); });
    this.svg.addEventListener("pointermove", (event) => this.down && pick(event));
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => { this.down = false; });
    this.svg.addEventListener("dblclick", () => chosen(null));
  }

  show([l, k]) {
    for (const dot of this.svg.querySelectorAll(".on")) dot.classList.remove("on");
    this.dots[l][k].classList.add("on");
  }
}
