// The page's state as a link, and what a link says of the state.
"use strict";

/** What differs from the usual; the answer goes behind the # of the address. */
function linkOf(state, viewer) {
  const { pixel, layer, trial, view, place, focus, overlay, close, result, changes } = state, { zoom, top, left } = viewer;
  const parts = [`pixel=${pixel}`, `layer=${layer}`];
  if (trial !== null) parts.push(`trial=${+trial.toFixed(5)}`);
  if (view) parts.push(`view=${view}`);
  if (place) parts.push(`place=${place.map((v) => +v.toFixed(3))}`);
  if (focus) parts.push("focus=1");
  if (overlay !== "none") parts.push(`overlay=${overlay}`);
  if (close) parts.push("close=1");
  if (zoom > 1) parts.push(`zoom=${[zoom, top, left].map((v) => +v.toFixed(2))}`);
  if (result && result !== "given") parts.push(`result=${result}`);
  for (const [name, value] of Object.entries(changes)) parts.push(`set=${name}:${value}`);
  return parts.join("&");
}

/** State as far as a link says it; what makes no sense is left out. */
function stateOf(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, "")), said = {};
  const list = (name, count, whole) => {
    const values = (query.get(name) ?? "").split(",").map(Number);
    return query.get(name) && values.length === count && values.every((v) => (whole ? Number.isInteger(v) && v >= 0 : Number.isFinite(v))) ? values : null;
  };
  for (const name of ["pixel", "view"]) if (list(name, 2, true)) said[name] = list(name, 2, true);
  if (list("place", 2, false)) said.place = list("place", 2, false);
  if (list("zoom", 3, false)) said.zoom = list("zoom", 3, false);
  if (list("trial", 1, false)) [said.trial] = list("trial", 1, false);
  if (query.get("layer") in KINDS) said.layer = query.get("layer");
  if (query.get("overlay") in OVERLAYS) said.overlay = query.get("overlay");
  for (const name of ["focus", "close"]) if (query.get(name) === "1") said[name] = true;
  if (query.get("result")) said.result = query.get("result");
  const changes = query.getAll("set").map((text) => text.split(":")).filter((pair) => pair.length === 2);
  if (changes.length) said.changes = Object.fromEntries(changes.map(([name, value]) => [name, value === "true" || value === "false" ? value === "true" : Number(value)]));
  return said;
}
