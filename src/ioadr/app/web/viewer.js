// Panes that show pictures of one size side by side and share zoom, position and cursor.
//
//   const viewer = new LinkedViewer(width, height);          // px of the pictures
//   viewer.add(parent, { title, picture, value, legend });   // picture: anything that drawImage takes
//   viewer.onselect = (row, column) => …                     // a click or the arrow keys chose a pixel
//   viewer.onshow = (row, column) => …                       // a pixel is pointed at, or else chosen
//
// `value(row, column)` is the text for the pixel under the cursor; `legend` is {css, low, high}, a colour bar, or
// {low}, a remark.
// Wheel or pinch zooms, dragging moves, a double click shows everything again.
"use strict";

class LinkedViewer {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.panes = [];
    this.pointers = new Map();
    this.cursor = null;
    this.selected = null;
    this.onselect = () => {};
    this.onshow = () => {};
    this.scheduled = false;
    this.reset();
    addEventListener("resize", () => this.draw());
    addEventListener("beforeprint", () => this.render());
  }

  /** Everything visible: `zoom` is 1, (left, top) the picture's corner in px of the picture. */
  reset() {
    this.zoom = 1;
    this.left = 0;
    this.top = 0;
    this.draw();
  }

  add(parent, { title, picture, value, legend }) {
    const figure = document.createElement("figure");
    figure.className = "pane";
    const caption = figure.appendChild(document.createElement("figcaption"));
    caption.appendChild(document.createElement("span")).textContent = title;
    const output = caption.appendChild(document.createElement("output"));
    const canvas = figure.appendChild(document.createElement("canvas"));
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${title}; zoom with the wheel or + and −, choose a pixel with the arrow keys`);
    canvas.style.aspectRatio = `${this.width} / ${this.height}`;
    if (legend) figure.appendChild(LinkedViewer.legend(legend));
    parent.appendChild(figure);
    const pane = { figure, canvas, output, picture, value: value || (() => "") };
    this.panes.push(pane);
    this.listen(canvas);
    this.draw();
    return pane;
  }

  static legend({ css, low, high }) {
    const bar = document.createElement("div");
    bar.className = "scale";
    bar.append(low);
    if (css) {
      bar.append(document.createElement("i"), high);
      bar.querySelector("i").style.background = css;
    }
    return bar;
  }

  listen(canvas) {
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Place of the event in px of the picture, fractions included. */
  place(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const scale = this.width / (box.width * this.zoom);
    return { x: this.left + (event.clientX - box.left) * scale, y: this.top + (event.clientY - box.top) * scale, scale };
  }

  wheel(event) {
    const factor = Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002));
    if (this.zoom === 1 && factor < 1) return; // nothing to zoom out of: let the page scroll
    event.preventDefault();
    const { x, y } = this.place(event);
    this.zoomAt(x, y, this.zoom * factor);
  }

  zoomAt(x, y, zoom) {
    const next = Math.min(Math.max(zoom, 1), 64);
    this.left = x - ((x - this.left) * this.zoom) / next;
    this.top = y - ((y - this.top) * this.zoom) / next;
    this.zoom = next;
    this.contain();
  }

  contain() {
    this.left = Math.min(Math.max(this.left, 0), this.width * (1 - 1 / this.zoom));
    this.top = Math.min(Math.max(this.top, 0), this.height * (1 - 1 / this.zoom));
    this.draw();
  }

  press(event) {
    event.currentTarget.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, travelled: 0 });
  }

  move(event) {
    const place = this.place(event);
    const last = this.pointers.get(event.pointerId);
    if (!last) return this.point(place);
    const step = { x: event.clientX - last.x, y: event.clientY - last.y };
    const others = [...this.pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
    if (others.length) {
      const before = Math.hypot(last.x - others[0].x, last.y - others[0].y);
      const after = Math.hypot(event.clientX - others[0].x, event.clientY - others[0].y);
      if (before > 0) this.zoomAt(place.x, place.y, (this.zoom * after) / before);
      others[0].travelled += 10;
    } else {
      this.left -= step.x * place.scale;
      this.top -= step.y * place.scale;
      this.contain();
    }
    last.travelled += Math.abs(step.x) + Math.abs(step.y);
    last.x = event.clientX;
    last.y = event.clientY;
    this.point(this.place(event));
  }

  release(event) {
    const last = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (last && last.travelled < 4) {
      const { x, y } = this.place(event);
      this.select(Math.floor(y), Math.floor(x));
    }
  }

  key(event) {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const [row, column] = this.selected || [this.height >> 1, this.width >> 1];
    if (steps[event.key]) {
      const far = event.shiftKey ? 10 : 1;
      this.select(row + far * steps[event.key][0], column + far * steps[event.key][1]);
    } else if (event.key === "+" || event.key === "-") {
      this.zoomAt(column, row, this.zoom * (event.key === "+" ? 1.5 : 1 / 1.5));
    } else if (event.key === "0" || event.key === "Escape") {
      this.reset();
    } else return;
    event.preventDefault();
  }

  select(row, column) {
    this.selected = [Math.min(Math.max(row, 0), this.height - 1), Math.min(Math.max(column, 0), this.width - 1)];
    this.draw();
    this.onselect(...this.selected);
  }

  point(place) {
    const inside = place && place.x >= 0 && place.y >= 0 && place.x < this.width && place.y < this.height;
    this.cursor = inside ? [Math.floor(place.y), Math.floor(place.x)] : null;
    this.draw();
  }

  draw() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => this.render());
  }

  render() {
    this.scheduled = false;
    const shown = this.cursor || this.selected;
    if (shown) this.onshow(...shown);
    for (const pane of this.panes) {
      this.paint(pane);
      pane.output.textContent = shown ? pane.value(...shown) : "";
      pane.canvas.style.touchAction = this.zoom > 1 ? "none" : "pan-y";
    }
  }

  paint({ canvas, picture }) {
    const dots = (canvas.clientWidth || this.width) * (window.devicePixelRatio || 1);
    const scale = (dots * this.zoom) / this.width;
    canvas.width = Math.round(dots);
    canvas.height = Math.round((dots * this.height) / this.width);
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = scale < 1;
    context.setTransform(scale, 0, 0, scale, -this.left * scale, -this.top * scale);
    context.drawImage(picture, 0, 0, this.width, this.height);
    context.lineWidth = 1 / scale;
    if (this.selected) this.cross(context, this.selected, 9 / scale, "#fff", "#000");
    if (this.cursor) this.cross(context, this.cursor, 6 / scale, "#fff", "#0008");
  }

  /** A cross that leaves its pixel free. */
  cross(context, [row, column], arm, bright, dark) {
    const x = column + 0.5, y = row + 0.5, gap = Math.max(0.7, arm / 3);
    for (const [colour, width] of [[dark, 3], [bright, 1]]) {
      context.strokeStyle = colour;
      context.lineWidth = (width * arm) / 8;
      context.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(x + dx * gap, y + dy * gap);
        context.lineTo(x + dx * (gap + arm), y + dy * (gap + arm));
      }
      context.stroke();
    }
  }
}
