// Why the pixel has its disparity: its history, the fitted surface, the border, and reasons to doubt it.
"use strict";

/** The history as a strip: one dot per step, as high as the disparity; a click tries that disparity. */
class WayStrip {
  constructor(parent, ontrial) {
    this.panel = panel(parent, "How this pixel got its depth", "way");
    this.ontrial = ontrial;
  }

  draw(way) {
    const made = this.panel, wide = 480, high = 104, top = 12, bottom = 36;
    made.figure.hidden = way.length === 0;
    if (!way.length) return;
    const values = way.map(({ disparity }) => disparity), low = Math.min(...values), most = Math.max(...values);
    const slack = Math.max(most - low, 0.004) * 0.12, step = (wide - 16) / way.length;
    const x = (k) => 8 + (k + 0.5) * step, y = axis(low - slack, most + slack, high - bottom, top);
    const chart = blank(made.body, wide, high, "Disparity after each step");
    svg("polyline", { class: "curve", points: values.map((d, k) => `${x(k).toFixed(1)},${y(d).toFixed(1)}`).join(" ") }, chart);
    way.forEach((stage, k) => {
      const moved = k ? stage.disparity - values[k - 1] : 0, kind = stage.from === "kept" ? "kept" : stage.kind;
      const group = svg("g", { class: "step", "data-step": k, "data-disparity": stage.disparity, role: "button", tabindex: 0, "aria-label": `${stage.step}: ${stage.from}, ${fixed(stage.disparity, 4)} px` }, chart);
      svg("rect", { x: x(k) - step / 2, y: 0, width: step, height: high, fill: "transparent" }, group);
      svg("circle", { class: `stage ${kind}`, cx: x(k), cy: y(stage.disparity), r: 4.5 }, group);
      // Steps between the others are named only if they changed something, in a line of their own: labels would touch.
      const between = { regions: "region", holes: "hole" }[stage.kind];
      const label = between ? (kind === "kept" ? "" : between) : { start: "first", sweep: stage.number, surfaces: `fit ${stage.number}`, borders: "border" }[stage.kind];
      svg("text", { class: "label", x: x(k), y: high - (between ? 8 : 20), "text-anchor": "middle" }, group, label);
      svg("title", {}, group, `${stage.step}: ${stage.from}\n${fixed(stage.disparity, 4)} px${k ? `, moved by ${fixed(moved, 4)}` : ""}`);
      const choose = () => this.ontrial(stage.disparity, true);
      group.addEventListener("click", choose);
      group.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
    });
    made.output.textContent = `${fixed(values[0], 3)} → ${fixed(values.at(-1), 3)} px`;
    made.output.title = "from the first map to the result";
  }
}

/** The patch that the last finishing pass fitted: targets that belong to it, and those it rejected. */
function drawSurface(made, surface, layers, scene, pixel) {
  made.figure.hidden = !surface;
  if (!surface) return;
  const half = Math.max(surface.radius, 4), side = surface.radius > 4 ? 1.8 : 0.9;
  const chart = windowAround(made, layers, scene, pixel, half + 2, "Targets of the fitted surface");
  surface.members.forEach(([n, m], i) => {
    const weight = surface.weights[i];
    svg("rect", { class: weight ? "member" : "member gated", x: m - side / 2, y: n - side / 2, width: side, height: side, "fill-opacity": weight ? 0.25 + 0.6 * weight : 0.5, "data-weight": weight }, chart);
  });
  outline(chart, "circle", { cx: 0, cy: 0, r: half + 0.5 });
  outline(chart, "rect", { x: -0.5, y: -0.5, width: 1, height: 1 });
  made.output.textContent = surface.radius ? `${surface.curved ? "curved" : "plane"}, radius ${surface.radius} px` : "none";
  remark(made, `${capital(surface.words)}.`);
}

/** How much each view differed from the mean of those that see the pixel, in the last finishing pass. */
function drawResiduals(made, views, reference, onview) {
  made.figure.hidden = !views;
  if (!views) return;
  const known = views.residuals.flat().filter((value) => value !== null), most = Math.max(...known, 1);
  made.body.replaceChildren();
  drawViews(made.body, views.residuals.length, views.residuals[0].length, reference, `${known.length} views see the pixel`, (l, k) => {
    const value = views.residuals[l][k];
    if (value === null) return { class: "cell empty", title: "does not see the pixel" };
    return { class: "cell residual", "fill-opacity": 0.06 + (0.94 * value) / most, "data-residual": value, title: `differs by ${fixed(value, 2)} grey levels; weight ${Math.round(100 * views.weights[l][k])} %` };
  }, onview);
  made.output.textContent = `at most ${fixed(Math.max(...known, 0), 1)} grey levels`;
  made.output.title = "largest difference from the mean of the views; stronger colours mean larger differences";
  remark(made, `${capital(views.words)}.`);
}

/** Two surfaces, the share of the pixel that the near one covers, and the views used to decide. */
function drawBorder(made, border, reference, onview) {
  made.figure.hidden = !border;
  if (!border) return;
  const chart = blank(made.body, 240, 80, "Share of the pixel that the near surface covers"), share = border.coverage;
  svg("rect", { class: "far", x: 10, y: 8, width: 220, height: 26, rx: 3 }, chart);
  if (share !== null) svg("rect", { class: "near", x: 10, y: 8, width: 220 * share, height: 26, rx: 3, "data-coverage": share }, chart);
  svg("line", { class: "half", x1: 120, x2: 120, y1: 4, y2: 38 }, chart);
  svg("text", { class: "label", x: 10, y: 54 }, chart, `near ${fixed(border.near, 3)} px`);
  svg("text", { class: "label", x: 230, y: 54, "text-anchor": "end" }, chart, `far ${fixed(border.far, 3)} px`);
  svg("text", { class: "label", x: 120, y: 74, "text-anchor": "middle" }, chart, `${border.is_near !== border.was_near ? "moved to" : "stays with"} the ${border.is_near ? "near" : "far"} surface`);
  drawViews(made.body, border.views.length, border.views[0].length, reference, "Views used to decide", (l, k) => {
    const decided = border.views[l][k];
    return { class: `cell ${decided ? "decided" : "empty"}`, title: decided ? "used: other views show the background behind the pixel here" : "not used" };
  }, onview);
  made.output.textContent = share === null ? "unknown" : `near covers ${Math.round(100 * share)} %`;
  remark(made, `${capital(border.words)}.`);
}

/** Reasons for low confidence, the strongest first. */
function drawDoubts(made, ending) {
  const doubts = ending.doubts.filter(({ taken }) => taken >= 0.05).slice(0, 5), most = Math.max(...doubts.map(({ taken }) => taken), 1);
  made.body.replaceChildren();
  const list = made.body.appendChild(document.createElement("ol"));
  list.className = "doubts";
  for (const { name, words, taken } of doubts) {
    const item = list.appendChild(document.createElement("li"));
    item.dataset.doubt = name;
    item.title = `${name}: lowers the log odds by ${fixed(taken, 2)}`;
    item.appendChild(document.createElement("i")).style.width = `${(100 * taken) / most}%`;
    item.appendChild(document.createElement("span")).textContent = capital(words);
  }
  if (!doubts.length) list.appendChild(document.createElement("li")).textContent = "Nothing lowers it noticeably.";
  made.output.textContent = `${Math.floor(100 * ending.trust)} %`;
}

function remark(made, text) {
  const note = made.body.appendChild(document.createElement("p"));
  note.className = "note";
  note.textContent = text;
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** Tooltips of titles. */
function explained(made, glossary, ...words) {
  made.title.title = words.map((word) => `${word}: ${glossary[word]}`).join("\n");
  made.title.classList.add("term");
}
