// Why a pixel has its depth, as a sentence: templates and maps come from the page, words are those of app/why.py.
"use strict";

async function reasons(known) {
  const deviation = await unpackValues(known.deviation), percent = await unpack(known.percent), two = known.two_minima && (await unpack(known.two_minima));
  const story = known.story && (await unpack(known.story)), moved = known.moved && (await unpackValues(known.moved));
  const number = (value, digits) => { const text = value.toFixed(digits); return Number(text) ? text.replace("-", "−") : text.replace("-", ""); };
  const depthText = (z, unit) => (!Number.isFinite(z) ? "depth unknown" : filled(known.depths[unit], { depth: +z.toPrecision(3) }));
  const filled = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  const told = (i) => {
    if (!story) return known.unknown;
    const still = Math.abs(moved[i]) < known.still, clause = filled(known.surface, { moved: number(moved[i], 3) });
    return filled(known.stories[story[i]], still ? { surface: "", surface_first: "" } : { surface: `; ${clause}`, surface_first: `${clause}; ` });
  };
  return {
    trusted: (i) => number(percent[i] / 100, 2),
    twoMinima: (i) => Boolean(two?.[i]),
    sentence(i, { visible, disparity, depth, unit }) {
      if (!Number.isFinite(disparity)) return known.missing;
      const numbers = { visible, views: known.views, deviation: number(Math.max(deviation[i], known.finest), 1), disparity: number(disparity, 3), depth: depthText(depth, unit) };
      const parts = [filled(deviation[i] <= known.agreed ? known.agree : known.differ, numbers), told(i)];
      if (two?.[i]) parts.push(known.two);
      return [...parts, filled(known.trust, { trust: percent[i] })].join(" ");
    },
  };
}
