// What the keys do; the list of them is in explore.html.j2.
"use strict";

function pressed(explorer, event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (event.target.closest?.("input, select, textarea, .space canvas")) return;
  const step = (explorer.scene.range[1] - explorer.scene.range[0]) * (event.shiftKey ? 0.01 : 0.001);
  const trial = explorer.state.trial ?? explorer.answer?.disparity ?? explorer.scene.range[0];
  const move = (by) => explorer.tryOut(Math.min(Math.max(trial + by, explorer.scene.range[0]), explorer.scene.range[1]), true);
  const actions = {
    ",": () => move(-step), ";": () => move(-step), "<": () => move(-step), ".": () => move(step), ":": () => move(step), ">": () => move(step),
    m: () => $("cheapest").click(), n: () => { explorer.state.trial = null; explorer.tryOut(null, false); },
    w: () => explorer.step(-1, 0), s: () => explorer.step(1, 0), a: () => explorer.step(0, -1), d: () => explorer.step(0, 1), r: () => explorer.lookFrom(null),
    W: () => explorer.views.pad.step(-1, 0), S: () => explorer.views.pad.step(1, 0), A: () => explorer.views.pad.step(0, -1), D: () => explorer.views.pad.step(0, 1),
    f: () => explorer.toggleFocus(), z: () => explorer.zoomCurve(), "?": () => $("keys").showModal(),
    o: () => { const all = Object.keys(OVERLAYS); explorer.chooseOverlay(all[(all.indexOf(explorer.state.overlay) + 1) % all.length]); },
    e: () => explorer.run.busy || $("estimate").click(),
  };
  const kinds = explorer.views.kinds();
  if (event.key === "Escape" && explorer.run.busy) explorer.run.cancel();
  else if (/^[1-9]$/.test(event.key) && kinds[event.key - 1]) explorer.chooseLayer(kinds[event.key - 1][0]);
  else if (actions[event.key]) actions[event.key]();
  else return explorer.views.viewer.key(event);
  return event.preventDefault();
}
