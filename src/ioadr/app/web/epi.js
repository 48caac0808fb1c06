// An epipolar-plane image: one line of pixels from each view of a row or column, with the estimated slopes drawn in.
//
//   const strip = new EpiStrip(parent, title, views, "row");  // views: [{offset, image}], in order
//   strip.draw(line, place, disparities);                     // the line of pixels, the chosen pixel on it
//
// A point at x of the reference view with disparity d lies at x − d·offset in the others: a straight line in the EPI,
// broken where a nearer point hides it.
"use strict";

class EpiStrip {
  constructor(parent, title, views, direction) {
    this.views = views;
    this.direction = direction;
    this.slopes = true;
    this.onselect = () => {};
    const figure = parent.appendChild(document.createElement("figure"));
    figure.className = "pane strip";
    const caption = figure.appendChild(document.createElement("figcaption"));
    caption.appendChild(document.createElement("span")).textContent = title;
    this.output = caption.appendChild(document.createElement("output"));
    this.canvas = figure.appendChild(document.createElement("canvas"));
    this.canvas.addEventListener("click", (event) => this.click(event));
    addEventListener("resize", () => this.last && this.draw(...this.last));
    addEventListener("beforeprint", () => this.last && this.draw(...this.last));
  }

  click(event) {
    const box = this.canvas.getBoundingClientRect();
    this.onselect(Math.floor(((event.clientX - box.left) / box.width) * this.last[2].length));
  }

  draw(line, place, disparities) {
    this.last = [line, place, disparities];
    const ratio = window.devicePixelRatio || 1, count = this.views.length, length = disparities.length;
    const tall = Math.min(Math.max(126 / count, 7), 18);
    this.canvas.style.height = `${tall * count}px`;
    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(tall * count * ratio);
    const context = this.canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    this.views.forEach(({ image }, k) => this.copy(context, image, line, length, k));
    this.scaleX = this.canvas.width / length;
    this.scaleY = this.canvas.height / count;
    if (this.slopes) this.lines(context, disparities, ratio);
    this.trace(context, place, disparities, EpiStrip.nearest(this.views, disparities), "#fff", "#000", 2 * ratio);
    const d = disparities[place];
    this.output.textContent = d === d ? `${fixed(d, 3)} px per view` : "";
  }

  /** Views of a column are turned, so that both strips run from left to right. */
  copy(context, image, line, length, k) {
    const tall = context.canvas.height / this.views.length, wide = context.canvas.width;
    if (this.direction === "row") {
      context.drawImage(image, 0, line, length, 1, 0, k * tall, wide, tall);
    } else {
      context.setTransform(0, 1, 1, 0, 0, 0);
      context.drawImage(image, line, 0, 1, length, k * tall, 0, tall, wide);
      context.setTransform(1, 0, 0, 1, 0, 0);
    }
  }

  /** For each view, the largest disparity that lands on each pixel. */
  static nearest(views, disparities) {
    return views.map(({ offset }) => {
      const front = new Float32Array(disparities.length).fill(-Infinity);
      disparities.forEach((d, m) => {
        const x = Math.round(m - d * offset);
        if (d > front[x]) front[x] = d;
      });
      return front;
    });
  }

  lines(context, disparities, ratio) {
    const front = EpiStrip.nearest(this.views, disparities);
    const step = Math.max(4, Math.round((14 * ratio) / this.scaleX));
    for (let m = step >> 1; m < disparities.length; m += step) {
      this.trace(context, m, disparities, front, "#ffffffb0", "#00000060", 0.9 * ratio);
    }
  }

  trace(context, m, disparities, front, bright, dark, width) {
    const d = disparities[m];
    context.beginPath();
    let drawing = false;
    this.views.forEach(({ offset }, k) => {
      const x = m - d * offset, pixel = Math.round(x);
      const seen = d === d && pixel >= 0 && pixel < disparities.length && front[k][pixel] <= d + 0.3;
      if (seen) context[drawing ? "lineTo" : "moveTo"]((x + 0.5) * this.scaleX, (k + 0.5) * this.scaleY);
      drawing = seen;
    });
    for (const [colour, thick] of [[dark, 2.2 * width], [bright, width]]) {
      context.strokeStyle = colour;
      context.lineWidth = thick;
      context.stroke();
    }
  }
}
