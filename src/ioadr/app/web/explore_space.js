// The scene in 3D, with the chosen point marked; a click picks a pixel.
"use strict";

const MOST_POINTS = 1.2e6;

class Space {
  constructor(parent, scene, chosen) {
    this.scene = scene;
    this.chosen = chosen;
    this.stale = true;
    this.thin = Math.max(1, Math.ceil(Math.sqrt((scene.width * scene.height) / MOST_POINTS)));
    const made = panel(parent, "3D", "space");
    this.figure = made.figure;
    this.body = made.body;
    this.body.className = "space";
    made.source = () => this.composed();
    this.colours = "photo";
    this.buttons = document.createElement("span");
    this.buttons.className = "choice";
    this.buttons.id = "colours";
    for (const name of ["photo", "shape", "confidence", "unseen"]) {
      const button = this.buttons.appendChild(document.createElement("button"));
      button.value = name;
      button.textContent = name[0].toUpperCase() + name.slice(1);
      button.setAttribute("aria-pressed", name === "photo");
      button.addEventListener("click", () => this.paint(name));
    }
    this.buttons.lastChild.title = "Mark in pink what the reference view does not see";
    this.points = this.switch("Points", "Draw points instead of a mesh", false, (on) => { this.space.mode = on ? "points" : "mesh"; this.space.draw(); });
    this.whole = this.switch("All views", "Show points that other views see but the reference view does not", true, (on) => this.space.showAll(on));
    this.switches = document.createElement("span");
    this.switches.className = "choice";
    this.switches.append(this.points, this.whole);
    this.tools = document.createElement("div");
    this.tools.className = "controls tools";
    this.ring = document.createElement("div");
    this.ring.className = "ring";
  }

  switch(text, title, pressed, changed) {
    const button = document.createElement("button");
    Object.assign(button, { textContent: text, title, type: "button" });
    button.setAttribute("aria-pressed", pressed);
    button.addEventListener("click", () => changed(toggled(button)));
    return button;
  }

  paint(name) {
    this.colours = name;
    press("colours", name);
    this.space.colour(this.palette[name]());
  }

  async open(layers, selected, result, everyView) {
    if (this.stale) await this.build(layers, result, everyView);
    this.mark(selected);
  }

  async build(layers, result, everyView) {
    this.stale = false;
    this.unseen = await Unseen.of(everyView ? await asked(`api/unseen?result=${result}&thin=${this.thin}`) : null);
    this.whole.hidden = this.buttons.querySelector("[value=unseen]").hidden = !everyView;
    if (!everyView && this.colours === "unseen") this.colours = "photo";
    const { thin, scene } = this, width = Math.ceil(scene.width / thin), height = Math.ceil(scene.height / thin);
    const cells = new Uint8Array(await fetched(`api/layer/cells?result=${result}&thin=${thin}`));
    const keep = (values, channels = 1) => (thin === 1 ? values : thinnedOut(values, scene.width, scene.height, thin, channels));
    const depth = keep(layers.depth), { unseen } = this;
    const canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The scene in 3D; arrow keys turn it, a click chooses a point");
    canvas.style.width = "100%";
    canvas.style.aspectRatio = `${scene.width} / ${scene.height}`;
    this.body.replaceChildren(canvas, this.ring, this.buttons, this.switches, this.tools);
    const places = (factor) => unseen.behind(placesInSpace(factor === 1 ? depth : relieved(depth, factor), width, thin, scene.rays), unseen.places(scene.rays, factor));
    try {
      this.space = new Scene3D(canvas, { width, height, positions: places(1), cells, pitch: scene.rays.pitch_x * thin, flying: unseen.flying });
    } catch (error) {
      this.body.textContent = "This browser does not support WebGL 2, which the 3D view needs.";
      return;
    }
    const image = keep(layers.image, 3), normals = keep(layers.normals, 3), confidence = keep(layers.confidence);
    this.palette = unseen.colours(scene.scales.confidence, {
      photo: () => image,
      shape: () => clay(normals),
      confidence: () => painted(along(scene.scales.confidence, confidence, 0, 1), depth.length),
    });
    this.space.mode = this.points.getAttribute("aria-pressed") === "true" ? "points" : "mesh";
    if (this.whole.getAttribute("aria-pressed") !== "true") this.space.showAll(false);
    this.paint(this.colours);
    this.space.onview.push(() => this.place());
    this.tools.replaceChildren();
    new SceneTools(this.tools, this.space, scene.unit, places);
    this.listen(canvas, width);
  }

  /** A press that does not move chooses the point. */
  listen(canvas, width) {
    let start = null;
    canvas.addEventListener("pointerdown", (event) => { start = [event.clientX, event.clientY]; });
    canvas.addEventListener("pointerup", (event) => {
      if (!start || Math.hypot(event.clientX - start[0], event.clientY - start[1]) > 3) return;
      const box = canvas.getBoundingClientRect(), i = this.space.pick(event.clientX - box.left, event.clientY - box.top);
      if (i >= this.space.pixels) say(this.unseen.words(i - this.space.pixels));
      else if (i >= 0) this.chosen(Math.floor(i / width) * this.thin, (i % width) * this.thin);
    });
  }

  mark(selected) {
    if (!selected) return;
    this.index = Math.floor(selected[0] / this.thin) * Math.ceil(this.scene.width / this.thin) + Math.floor(selected[1] / this.thin);
    this.place();
  }

  place() {
    if (!this.space || this.index === undefined) return;
    const [x, y, w] = this.space.seen(this.index);
    this.ring.hidden = !(x >= 0 && y >= 0 && x <= this.space.canvas.clientWidth && y <= this.space.canvas.clientHeight);
    this.ring.style.left = `${x}px`;
    this.ring.style.top = `${y}px`;
    const front = this.space.pick(x, y, 3);
    this.ring.classList.toggle("behind", front >= 0 && this.space.seen(front)[2] < 0.98 * w);
  }

  /** The scene and the ring on one canvas. */
  composed() {
    if (!this.space) return null;
    const from = this.space.canvas, canvas = document.createElement("canvas"), context = canvas.getContext("2d");
    canvas.width = from.width;
    canvas.height = from.height;
    context.drawImage(from, 0, 0);
    const scale = from.width / from.clientWidth, [x, y] = this.index === undefined ? [NaN, NaN] : this.space.seen(this.index);
    for (const [colour, wide] of [["#000", 4], ["#fff", 2]]) {
      context.strokeStyle = colour;
      context.lineWidth = wide * scale;
      context.beginPath();
      context.arc(x * scale, y * scale, 8 * scale, 0, 2 * Math.PI);
      context.stroke();
    }
    return canvas;
  }
}

function thinnedOut(values, width, height, thin, channels) {
  const w = Math.ceil(width / thin), h = Math.ceil(height / thin), out = new values.constructor(w * h * channels);
  for (let n = 0, at = 0; n < h; n++) {
    for (let m = 0; m < w; m++) {
      const from = (n * thin * width + m * thin) * channels;
      for (let c = 0; c < channels; c++) out[at++] = values[from + c];
    }
  }
  return out;
}
