// Small charts in SVG. A series is {name, colour (a CSS value), strong}.
"use strict";

function svg(name, attributes, parent, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.appendChild(element);
  return element;
}

/** An empty chart in `place` in stead of what was there. */
function blank(place, width, height, label) {
  place.replaceChildren();
  return svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, place);
}

/** Where values go: linear or logarithmic, from [low, high] to [from, to]. */
function axis(low, high, from, to, logarithmic) {
  const f = logarithmic ? Math.log : (x) => x;
  return (x) => from + ((f(x) - f(low)) / (f(high) - f(low) || 1)) * (to - from);
}

const strongLast = (a, b) => Number(a.strong) - Number(b.strong);

/** Round numbers in [low, high] on a logarithmic axis: at least three, and no more than fit. */
function roundNumbers(low, high) {
  for (const steps of [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 4, 5, 7]]) {
    const found = [];
    for (let power = -4; power <= 5; power++) found.push(...steps.map((step) => Number((step * 10 ** power).toPrecision(2))));
    const inside = found.filter((value) => value >= low && value <= high);
    if (inside.length >= 3) return inside;
  }
  return [Number(low.toPrecision(2)), Number(high.toPrecision(2))];
}

/** Percentage of bad pixels over the threshold. */
function curveChart(place, thresholds, series) {
  const chart = blank(place, 560, 340, "Percentage of bad pixels over the threshold");
  const x = axis(thresholds[0], thresholds[thresholds.length - 1], 54, 548, true), y = axis(0, 100, 300, 12);
  for (const share of [0, 25, 50, 75, 100]) {
    svg("line", { class: "grid", x1: 54, x2: 548, y1: y(share), y2: y(share) }, chart);
    svg("text", { x: 48, y: y(share) + 4, "text-anchor": "end" }, chart, `${share} %`);
  }
  for (const t of [0.01, 0.03, 0.07]) svg("line", { class: "mark", x1: x(t), x2: x(t), y1: 12, y2: 300 }, chart);
  for (const t of [0.005, 0.01, 0.03, 0.07, 0.2, 0.5]) svg("text", { x: x(t), y: 318, "text-anchor": "middle" }, chart, t);
  svg("text", { x: 301, y: 335, "text-anchor": "middle" }, chart, "error threshold in px");
  for (const one of [...series].filter((s) => s.values).sort(strongLast)) {
    const points = one.values.map((value, i) => `${x(thresholds[i]).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const line = svg("polyline", { class: one.strong ? "series" : "series faint", points, style: `--colour: ${one.colour}` }, chart);
    svg("title", {}, line, one.name);
  }
}

/** A metric against the runtime; series have {seconds, value}. */
function scatterChart(place, label, series) {
  const chart = blank(place, 560, 340, `${label} against runtime`);
  const known = series.filter((s) => s.seconds > 0 && Number.isFinite(s.value));
  if (!known.length) return svg("text", { x: 280, y: 170, "text-anchor": "middle" }, chart, "runtimes unknown");
  const times = known.map((s) => s.seconds), top = Math.max(...known.map((s) => s.value)) * 1.15 || 1;
  const low = Math.min(...times) / 1.7, high = Math.max(...times) * 1.7;
  const x = axis(low, high, 54, 548, true), y = axis(0, top, 300, 12);
  for (let k = 0; k <= 4; k++) {
    const value = (top * k) / 4;
    svg("line", { class: "grid", x1: 54, x2: 548, y1: y(value), y2: y(value) }, chart);
    svg("text", { x: 48, y: y(value) + 4, "text-anchor": "end" }, chart, value.toPrecision(2));
  }
  for (const t of roundNumbers(low, high)) {
    svg("text", { x: x(t), y: 318, "text-anchor": "middle" }, chart, t >= 1000 ? `${t / 1000}k` : t);
  }
  svg("text", { x: 301, y: 335, "text-anchor": "middle" }, chart, "seconds per scene");
  for (const one of [...known].sort(strongLast)) {
    const group = svg("g", { class: one.strong ? "" : "faint", style: `--colour: ${one.colour}` }, chart);
    svg("circle", { class: "spot", cx: x(one.seconds), cy: y(one.value), r: 5 }, group);
    const right = x(one.seconds) < 420;
    if (one.strong) svg("text", { class: "name", x: x(one.seconds) + (right ? 9 : -9), y: y(one.value) + 4, "text-anchor": right ? "start" : "end" }, group, one.name);
    svg("title", {}, group, `${one.name}: ${one.value.toPrecision(4)}, ${one.seconds.toFixed(1)} s`);
  }
}

/** One axis per metric, 0 in the centre, the worst method at the rim; series have `values` by axis. */
function radarChart(place, labels, series) {
  const chart = blank(place, 560, 400, "All metrics, relative to the worst method");
  const worst = labels.map((_, k) => Math.max(...series.map((s) => (Number.isFinite(s.values[k]) ? s.values[k] : 0))) || 1);
  const angle = (k) => (2 * Math.PI * k) / labels.length - Math.PI / 2;
  const at = (k, share) => [280 + 140 * share * Math.cos(angle(k)), 200 + 140 * share * Math.sin(angle(k))];
  const ring = (shares) => shares.map((share, k) => at(k, share).map((v) => v.toFixed(1)).join(",")).join(" ");
  for (const share of [0.25, 0.5, 0.75, 1]) svg("polygon", { class: "grid", points: ring(labels.map(() => share)) }, chart);
  labels.forEach((label, k) => {
    const [x, y] = at(k, 1), [tx, ty] = at(k, 1.12), side = Math.cos(angle(k));
    svg("line", { class: "grid", x1: 280, y1: 200, x2: x, y2: y }, chart);
    const text = svg("text", { x: tx, y: ty, "text-anchor": side > 0.2 ? "start" : side < -0.2 ? "end" : "middle" }, chart);
    svg("tspan", { x: tx }, text, label);
    svg("tspan", { x: tx, dy: "1.15em" }, text, worst[k].toPrecision(3));
  });
  for (const one of [...series].sort(strongLast)) {
    if (!one.values.every((value) => Number.isFinite(value))) continue;
    const points = ring(one.values.map((value, k) => Math.min(value / worst[k], 1)));
    const shape = svg("polygon", { class: one.strong ? "series area" : "series faint", points, style: `--colour: ${one.colour}` }, chart);
    svg("title", {}, shape, one.name);
  }
}
