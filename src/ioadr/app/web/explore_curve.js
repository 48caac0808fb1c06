// The cost curve: J over disparity, split into its terms, with everything known marked on it.
"use strict";

const CURVES = {
  plain: ["all views", "J_PD: mean difference from the reference view, as if every view saw the point"],
  data: ["visible views", "J_oa: the same for only those views that see the point; the solver uses this"],
  congruence: ["neighbours", "λ J_coc: distance from the mean of neighbours of similar colour"],
  planar: ["plane", "γ J_pg: angle to the plane fitted around the pixel"],
  total: ["total", "J: the sum, which the solver minimises"],
};
const WIDTH = 480, HEIGHT = 210, LEFT = 38, RIGHT = 14, TOP = 12, BOTTOM = 38;

class Curve {
  /** terms: names of the cost's terms. ontrial(disparity, lasting): the pointer is over a disparity, or chose it; null when it left. */
  constructor(parent, terms, range, ontrial) {
    this.names = ["plain", ...terms, "total"];
    this.range = range;
    this.ontrial = ontrial;
    this.close = false;
    this.panel = panel(parent, "Cost against disparity", "curve");
    this.legend = this.panel.figure.appendChild(document.createElement("div"));
    this.legend.className = "legend";
    for (const name of this.names) {
      const [label, meaning] = CURVES[name] ?? [name, "another term of the cost"];
      const item = this.legend.appendChild(document.createElement("span"));
      const sample = svg("svg", { class: "chart", viewBox: "0 0 18 8" }, item);
      svg("line", { class: `curve ${name}`, x1: 0, x2: 18, y1: 4, y2: 4 }, sample);
      item.append(label);
      item.dataset.term = name;
      item.title = meaning;
    }
    this.second = this.legend.appendChild(document.createElement("span"));
    svg("path", { class: "at second", d: "M0 4h18" }, svg("svg", { class: "chart", viewBox: "0 0 18 8" }, this.second));
    this.second.append("second minimum");
    this.listen();
  }

  listen() {
    const body = this.panel.body;
    const under = (event) => {
      const chart = body.querySelector("svg"), box = chart.getBoundingClientRect();
      const place = ((event.clientX - box.left) / box.width) * WIDTH, [low, high] = this.shown();
      return Math.min(Math.max(low + ((place - LEFT) / (WIDTH - LEFT - RIGHT)) * (high - low), this.range[0]), this.range[1]);
    };
    body.addEventListener("pointermove", (event) => this.ontrial(under(event), event.buttons > 0));
    body.addEventListener("pointerdown", (event) => { body.setPointerCapture(event.pointerId); this.ontrial(under(event), true); });
    body.addEventListener("pointerleave", () => this.ontrial(null, false));
  }

  /** Disparities at the ends of the axis. */
  shown() {
    const [low, high] = this.range;
    if (!this.close || !this.answer) return [low, high];
    const middle = this.answer.disparity ?? this.answer.minimum.disparity, reach = 0.03 * (high - low);
    return [Math.max(low, middle - reach), Math.min(high, middle + reach)];
  }

  draw({ answer, before, trial, truth }) {
    this.answer = answer;
    const chart = blank(this.panel.body, WIDTH, HEIGHT, "Cost against disparity, by term");
    const { curve } = answer, [low, high] = this.shown();
    const inside = curve.disparities.map((d) => d >= low && d <= high);
    const top = this.top(curve, inside, before);
    const x = axis(low, high, LEFT, WIDTH - RIGHT), y = axis(0, top, HEIGHT - BOTTOM, TOP);
    this.frame(chart, x, y, top);
    const path = (values) => values.map((v, i) => (inside[i] ? `${x(curve.disparities[i]).toFixed(1)},${Math.max(y(v), TOP - 40).toFixed(1)}` : "")).filter(Boolean).join(" ");
    const clip = svg("clipPath", { id: "frame" }, chart);
    svg("rect", { x: LEFT, y: TOP - 6, width: WIDTH - LEFT - RIGHT, height: HEIGHT - BOTTOM - TOP + 7 }, clip);
    const lines = svg("g", { "clip-path": "url(#frame)" }, chart);
    if (before) this.path(lines, before, x, y, low, high);
    for (const name of this.names) {
      const counts = curve[name].some((v) => v > 0);
      this.legend.querySelector(`[data-term=${name}]`).hidden = !counts;
      if (counts) svg("polyline", { class: `curve ${name}`, points: path(curve[name]) }, lines);
    }
    this.second.hidden = answer.second === null;
    this.marks(chart, x, y, { answer, trial, truth, low, high });
    const { disparity, cost } = answer.minimum;
    this.panel.figure.dataset.minimum = disparity;
    this.panel.output.textContent = `minimum at ${fixed(disparity, 3)} px: ${fixed(cost, 2)} grey levels`;
  }

  path(parent, { curve }, x, y, low, high) {
    const points = curve.disparities.map((d, i) => [d, curve.total[i]]).filter(([d]) => d >= low && d <= high);
    svg("polyline", { class: "curve before", points: points.map(([d, v]) => `${x(d).toFixed(1)},${Math.max(y(v), -40).toFixed(1)}`).join(" ") }, parent);
  }

  /** High enough for the data term; the quadratic one may leave the frame. */
  top(curve, inside, before) {
    const values = (name) => curve[name].filter((_, i) => inside[i]);
    const data = Math.max(...values("plain"), ...values("data"), 1e-3);
    const lowest = Math.min(...values("total")), now = before ? Math.min(...before.curve.total) : 0;
    return 1.08 * Math.max(data, 2 * Math.min(lowest, 3 * data), 1.3 * Math.min(now, 3 * data));
  }

  frame(chart, x, y, top) {
    const step = niceStep(top / 4), [low, high] = this.shown(), across = niceStep((high - low) / 6);
    for (let value = 0; value <= top; value += step) {
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }, chart);
      svg("text", { class: "label", x: LEFT - 5, y: y(value) + 4, "text-anchor": "end" }, chart, String(+value.toPrecision(3)));
    }
    for (let d = Math.ceil(low / across) * across; d <= high + 1e-9; d += across) {
      svg("text", { class: "label", x: x(d), y: HEIGHT - 15, "text-anchor": "middle" }, chart, String(+d.toFixed(4)).replace("-", "−"));
    }
    svg("text", { class: "label", x: WIDTH - RIGHT, y: HEIGHT - 3, "text-anchor": "end" }, chart, "disparity in px per view");
    svg("text", { class: "label", x: LEFT, y: HEIGHT - 3 }, chart, "▴ candidates");
  }

  marks(chart, x, y, { answer, trial, truth, low, high }) {
    const visible = (d) => d !== null && d !== undefined && d >= low && d <= high;
    const at = (d, kind, text) => {
      if (!visible(d)) return;
      const line = svg("line", { class: `at ${kind}`, x1: x(d), x2: x(d), y1: TOP - 6, y2: HEIGHT - BOTTOM, "data-disparity": d }, chart);
      svg("title", {}, line, `${text} ${fixed(d, 4)} px`);
    };
    at(truth, "truth", "truth");
    at(answer.disparity, "estimate", "estimate");
    at(trial, "trial", "trial");
    at(answer.second, "second", "second minimum, which explains the views nearly as well:");
    const value = (d) => answer.curve.total[answer.curve.disparities.reduce((best, one, i, all) => (Math.abs(one - d) < Math.abs(all[best] - d) ? i : best), 0)];
    answer.way.forEach((stage, k) => {
      const place = Math.min(Math.max(stage.disparity, this.range[0]), this.range[1]); // half precision may lie just outside the range
      if (!visible(place) || stage.from === "kept") return;
      const mark = svg("circle", { class: `stage ${stage.kind}`, cx: x(place), cy: Math.max(y(value(place)), TOP), r: 3, "data-step": k }, chart);
      svg("title", {}, mark, `${stage.step}: ${stage.from}, ${fixed(stage.disparity, 4)} px`);
    });
    for (const { origin, disparity, cost } of answer.candidates) {
      if (!visible(disparity)) continue;
      const mark = svg("path", { class: "candidate", d: `M${x(disparity)} ${HEIGHT - BOTTOM + 1}l4 7h-8z`, "data-origin": origin }, chart);
      svg("title", {}, mark, `candidate (${origin}): ${fixed(disparity, 4)} px, cost ${fixed(cost, 2)}`);
    }
    const { disparity, cost } = answer.minimum;
    if (visible(disparity)) svg("circle", { class: "minimum", cx: x(disparity), cy: y(cost), r: 4 }, chart);
  }
}

function niceStep(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1)), share = value / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}
