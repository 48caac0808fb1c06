// What pages that show a result have in common: texts, fills for maps, the scene's points, rows of buttons.
"use strict";

const $ = (id) => document.getElementById(id);
/** With a true minus, and none before zero. */
const fixed = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits).replace("-", Number(value.toFixed(digits)) ? "−" : "") : "–");
/** Confidence, rounded down: nothing is trusted fully. */
const trusted = (share) => fixed(Math.floor(100 * share) / 100, 2);

/** How depth is called and what follows its numbers, by its unit. */
const DEPTHS = {
  m: { title: "Depth", after: " m" },
  "pose unit": { title: "Depth (unit of the poses)", after: "" },
  relative: { title: "Depth (relative)", after: "" },
};

/** Steps at the benchmark's thresholds. */
function bad(error) {
  const steps = [[0.07, [125, 29, 63]], [0.03, [217, 96, 59]], [0.01, [231, 176, 74]], [-1, [220, 218, 214]]];
  return (i, out, at) => {
    const size = Math.abs(error[i]);
    const [, colour] = steps.find(([limit]) => size > limit) || [0, [128, 128, 128]];
    for (let c = 0; c < 3; c++) out[at + c] = colour[c];
  };
}

/** Components to the right, up and towards the camera. */
function normalText(coded, i) {
  const [r, g, b] = [coded[3 * i], coded[3 * i + 1], coded[3 * i + 2]];
  if (r === 128 && g === 128 && b === 128) return "–";
  return `${fixed((r - 128) / 127, 2)} ${fixed((g - 128) / 127, 2)} ${fixed((b - 128) / 127, 2)}`;
}

/** Points for Scene3D: x right, y up, z towards the viewer. */
function placesInSpace(depth, width, thin, rays) {
  const positions = new Float32Array(3 * depth.length);
  for (let i = 0; i < depth.length; i++) {
    const n = Math.floor(i / width) * thin, m = (i % width) * thin;
    positions[3 * i] = (m - rays.m0) * rays.pitch_x * depth[i];
    positions[3 * i + 1] = -(n - rays.n0) * rays.pitch_y * depth[i];
    positions[3 * i + 2] = -depth[i];
  }
  return positions;
}

/** Relative depth of another relief: a factor on what its reciprocal differs from 1 by. */
function relieved(depth, factor) {
  return depth.map((z) => { const inverse = 1 + factor * (1 / z - 1); return inverse > 0 ? 1 / inverse : NaN; });
}

/** Grey clay, lit from the upper left. */
function clay(coded) {
  const out = new Uint8Array(coded.length);
  for (let i = 0; i < coded.length; i += 3) {
    const light = (-0.4 * (coded[i] - 128) + 0.5 * (coded[i + 1] - 128) + 0.77 * (coded[i + 2] - 128)) / 127;
    out.fill(40 + 200 * Math.max(light, 0) ** 1.2, i, i + 3);
  }
  return out;
}

function painted(fill, count) {
  const out = new Uint8Array(3 * count), one = new Uint8Array(3);
  for (let i = 0; i < count; i++) {
    fill(i, one, 0);
    out.set(one, 3 * i);
  }
  return out;
}

/** Press a button, or let it go; returns whether it is pressed now. */
function toggled(button) {
  const on = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", on);
  return on;
}

/** A row of buttons of which one is pressed. */
function choice(id, chosen) {
  for (const button of $(id).querySelectorAll("button")) {
    button.addEventListener("click", () => {
      press(id, button.value);
      chosen(button.value);
    });
  }
}

function press(id, value) {
  for (const button of $(id).querySelectorAll("button")) button.setAttribute("aria-pressed", button.value === value);
}
