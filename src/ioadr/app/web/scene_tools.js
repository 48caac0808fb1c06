// Tools of a scene in 3D: the relief of relative depth, a clip box, the distance of two points.
//
//   new SceneTools(parent, scene, unit, places);   // places(factor) gives the positions of another relief
"use strict";

const SIDES = ["left", "right", "bottom", "top", "far", "near"];

class SceneTools {
  constructor(parent, scene, unit, places) {
    this.scene = scene;
    this.unit = unit;
    this.picked = [];
    if (unit === "relative") this.relief(parent, places);
    this.measuring = this.button(parent, "Measure", "Click two points to measure the distance between them", () => this.forget());
    this.clipping = this.button(parent, "Clip", "Clip the scene to a box", (on) => this.clip(on));
    this.out = parent.appendChild(document.createElement("output"));
    this.out.className = "distance";
    this.box = this.sliders(parent);
    this.line = this.overlay();
    scene.onview.push(() => this.place());
    this.listen(scene.canvas);
  }

  button(parent, text, title, pressed) {
    const button = parent.appendChild(document.createElement("button"));
    Object.assign(button, { textContent: text, title, type: "button" });
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", (event) => {
      event.stopImmediatePropagation();
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      pressed(on);
    });
    return button;
  }

  /** Relative depth is known up to how strongly it varies: a factor on what 1/Z differs from 1 by. */
  relief(parent, places) {
    const label = parent.appendChild(document.createElement("label"));
    label.title = "Without camera data, the depth of the relief is unknown; choose one";
    label.append("Relief ");
    const input = label.appendChild(document.createElement("input"));
    Object.assign(input, { type: "range", min: -2.3, max: 1.5, step: 0.1, value: 0, className: "relief" });
    input.setAttribute("aria-label", "Relief");
    input.addEventListener("input", () => { this.forget(); this.scene.moveTo(places(2 ** Number(input.value))); this.clip(this.on(this.clipping)); });
  }

  on(button) {
    return button.getAttribute("aria-pressed") === "true";
  }

  sliders(parent) {
    const box = parent.appendChild(document.createElement("span"));
    box.className = "box";
    box.hidden = true;
    SIDES.forEach((side, k) => {
      const label = box.appendChild(document.createElement("label"));
      label.append(`${side} `);
      const input = label.appendChild(document.createElement("input"));
      Object.assign(input, { type: "range", min: 0, max: 100, step: 0.5, value: k % 2 ? 100 : 0 });
      input.setAttribute("aria-label", `Clip ${side}`);
      input.addEventListener("input", () => this.clip(true));
    });
    return box;
  }

  clip(on) {
    this.box.hidden = !on;
    const shares = [...this.box.querySelectorAll("input")].map((input) => Number(input.value) / 100);
    const { low, high } = this.scene.extent();
    const at = (axis, share) => low[axis] + share * (high[axis] - low[axis]);
    const open = (k) => !on || shares[k] === k % 2;
    this.scene.clip = {
      low: [0, 1, 2].map((axis) => (open(2 * axis) ? -1e30 : at(axis, shares[2 * axis]))),
      high: [0, 1, 2].map((axis) => (open(2 * axis + 1) ? 1e30 : at(axis, shares[2 * axis + 1]))),
    };
    this.scene.draw();
  }

  overlay() {
    this.scene.canvas.insertAdjacentHTML("afterend", '<svg class="rule"></svg>');
    return this.scene.canvas.nextElementSibling;
  }

  forget() {
    this.picked = [];
    this.out.textContent = this.measuring && this.on(this.measuring) ? "click two points" : "";
    if (this.line) this.place();
  }

  /** A press that does not move picks a point, while measuring; before others hear of it. */
  listen(canvas) {
    let start = null;
    canvas.addEventListener("pointerdown", (event) => { start = [event.clientX, event.clientY]; });
    canvas.addEventListener("pointerup", (event) => {
      if (!this.on(this.measuring) || !start || Math.hypot(event.clientX - start[0], event.clientY - start[1]) > 3) return;
      event.stopImmediatePropagation();
      const box = canvas.getBoundingClientRect(), i = this.scene.pick(event.clientX - box.left, event.clientY - box.top);
      if (i >= 0) this.add(i);
    });
  }

  add(i) {
    this.picked = this.picked.length === 2 ? [i] : [...this.picked, i];
    this.out.textContent = this.picked.length === 2 ? this.told(...this.picked) : "click the second point";
    this.place();
  }

  distance(i, j) {
    const at = this.scene.positions;
    return Math.hypot(...[0, 1, 2].map((k) => at[3 * i + k] - at[3 * j + k]));
  }

  told(i, j) {
    const length = this.distance(i, j).toPrecision(4);
    return { m: `${length} m`, "pose unit": `${length} in the unit of the poses`, relative: `${length} (relative: no camera data)` }[this.unit];
  }

  /** The two points and the line between them, over the scene as it is seen now. */
  place() {
    const places = this.picked.map((i) => this.scene.seen(i)).filter(([x]) => Number.isFinite(x));
    const dots = places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="5"/>`).join("");
    const [a, b] = places;
    this.line.innerHTML = (b ? `<line x1="${a[0]}" y1="${a[1]}" x2="${b[0]}" y2="${b[1]}"/>` : "") + dots;
  }
}
