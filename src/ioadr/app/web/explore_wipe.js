// Two results in one pane, with a divider to drag between them: the chosen one to its left, another to its right.
"use strict";

class Wipe {
  /** views: the panes; changed(): something else is to be shown. */
  constructor(views, changed) {
    Object.assign(this, { views, changed, key: "", share: 0.5, layers: null, pictures: {} });
    $("compare").addEventListener("change", () => this.choose($("compare").value));
    $("wipe").addEventListener("input", () => { this.share = Number($("wipe").value) / 100; views.viewer.draw(); });
    $("right").append($("wipe"));
    views.right.overlay = (context) => this.paint(context);
  }

  /** The results that may be compared with the chosen one. */
  list(results, chosen) {
    const others = [...results.values()].filter(({ key }) => key !== chosen);
    $("comparing").hidden = others.length === 0;
    $("compare").replaceChildren(new Option("none", ""), ...others.map(({ key, label }) => new Option(label, key, false, key === this.key)));
    if (!others.some(({ key }) => key === this.key)) this.choose("");
  }

  async choose(key) {
    Object.assign(this, { key, layers: null, pictures: {} });
    $("wipe").hidden = !key;
    if (key) {
      const layers = await resultLayers(key);
      if (key !== this.key) return;
      this.layers = this.views.completed(layers);
    }
    this.changed();
  }

  /** What the other result shows at a pixel, as text; empty where nothing is compared. */
  text(kind, i) {
    return this.layers && kind.needs.every((name) => this.layers[name]) ? `; other: ${kind.text(this.seen(), i)}` : "";
  }

  /** The panes as if the other result were chosen; scales stay those of the chosen one. */
  seen() {
    return Object.assign(Object.create(this.views), { layers: this.layers, bounds: () => this.views.bounds() });
  }

  paint(context) {
    const { views } = this, name = views.chosen, kind = KINDS[name];
    if (!this.layers || !kind?.fill || !kind.needs.every((layer) => this.layers[layer])) return;
    const { width, height } = views.scene, { left, zoom } = views.viewer, from = left + (this.share * width) / zoom;
    this.pictures[name] ||= picture(width, height, kind.fill(this.seen()));
    context.save();
    context.beginPath();
    context.rect(from, 0, width, height);
    context.clip();
    context.drawImage(this.pictures[name], 0, 0, width, height);
    context.restore();
    for (const [colour, wide] of [["#000", 3], ["#fff", 1]]) {
      context.fillStyle = colour;
      const thick = (wide * width) / zoom / (views.right.canvas.clientWidth || width);
      context.fillRect(from - thick / 2, 0, thick, height);
    }
  }
}
