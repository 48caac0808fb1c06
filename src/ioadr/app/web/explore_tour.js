// A tour of three minutes: each stop points to a panel, explains it, and selects a pixel where it matters.
"use strict";

/** The pixel, away from the image's edge, that scores highest. */
function foremost({ width, height }, score) {
  let best = [height >> 1, width >> 1], most = -Infinity;
  const edge = Math.min(12, height >> 2, width >> 2);
  for (let n = edge; n < height - edge; n++) {
    for (let m = edge; m < width - edge; m++) {
      const value = score(n * width + m);
      if (value > most) [best, most] = [[n, m], value];
    }
  }
  return best;
}

/** title, text, the element to point to, and what to do first; `places` are pixels of the chosen result. */
const STOPS = [
  ["A light field", "A light field is a set of views of one scene, taken side by side. Drag across the grid of dots to look from another view: near objects move more than far ones.", ".pad", (app) => app.chooseLayer("disparity")],
  ["Disparity", "Disparity is the number of pixels by which a point moves from one view to the next. Bright means near. The cross marks the selected pixel, which the rest of this page is about. Click to select another.", "[data-panel=map]", (app, { trusted }) => app.views.viewer.select(...trusted)],
  ["Disparity is a slope", "This is an epipolar-plane image (EPI): one row of pixels from each view, stacked. The selected point traces a line, and the slope of the line is its disparity.", "[data-panel=row-epi]"],
  ["What each view sees", "One square per view, in the colour that the view shows where the point should be. If all squares have one colour, the views agree on this disparity.", "[data-panel=image]"],
  ["Try another disparity", "Move the pointer along the curve. At a wrong disparity the squares no longer match, and the cost rises.", "#curve"],
  ["Something in the way", "Here a nearer surface hides the point in some views. Those views are crossed out and do not count. This is the central idea of the method.", "[data-panel=image]", (app, { hidden }) => app.views.viewer.select(...hidden)],
  ["How this pixel got its depth", "Its disparity after the first map, each sweep and each later step. A filled dot changed the value; point at it to see where the new value came from.", "#way"],
  ["The fitted surface", "After the sweeps, a surface is fitted to the disparities that the views around the pixel favour. Bright samples belong to the surface; black ones were rejected.", "[data-panel=surface]"],
  ["How far to trust it", "At this pixel the confidence is lowest. The list gives the reasons.", "[data-panel=doubts]", (app, { doubtful }) => { app.chooseLayer("confidence"); app.views.viewer.select(...doubtful); }],
  ["What if …", "Open this panel to change a parameter. The curve changes immediately, and you can re-estimate the part of the image around the pixel.", "#what-if"],
];

class Tour {
  constructor(app) {
    Object.assign(this, { app, at: -1 });
    $("tour").addEventListener("click", () => this.go(0));
    $("tour-next").addEventListener("click", () => this.go(this.at + 1));
    $("tour-back").addEventListener("click", () => this.go(this.at - 1));
    $("tour-end").addEventListener("click", () => this.go(-1));
  }

  /** Stops whose panel the result has: not every result has a finish or a history. */
  stops() {
    const { results, state, answer } = this.app;
    const lacks = { "[data-panel=surface]": !results.get(state.result)?.finished, "#way": !answer?.way.length };
    return STOPS.filter(([, , target]) => !lacks[target]);
  }

  places() {
    const { scene, views } = this.app, { visible, confidence } = views.layers;
    const trust = (i) => confidence?.[i] ?? 0, seen = (i) => visible?.[i] ?? 0;
    return {
      trusted: foremost(scene, (i) => trust(i) + seen(i)),
      hidden: foremost(scene, (i) => trust(i) - Math.abs(seen(i) / views.count - 0.5)),
      doubtful: foremost(scene, (i) => -trust(i)),
    };
  }

  go(index) {
    document.querySelector(".toured")?.classList.remove("toured");
    const stops = this.stops();
    this.at = stops[index] ? index : -1;
    $("tour-card").hidden = this.at < 0;
    if (this.at < 0) return;
    const [title, text, target, prepare] = stops[this.at];
    prepare?.(this.app, this.places());
    $("tour-title").textContent = title;
    $("tour-text").textContent = text;
    $("tour-count").textContent = `${this.at + 1} of ${stops.length}`;
    $("tour-back").disabled = this.at === 0;
    $("tour-next").textContent = this.at === stops.length - 1 ? "Done" : "Next";
    document.querySelector(target)?.classList.add("toured");
    this.moved = Boolean(prepare);
    this.point();
  }

  /** The panels of a pixel have been drawn: one that the stop chose may have moved what it points to. */
  settled() {
    if (this.moved) this.point();
    this.moved = false;
  }

  /** Scrolls to what the stop is about; the card covers the lower half of a narrow screen. */
  point() {
    document.querySelector(".toured")?.scrollIntoView({ block: innerWidth > 640 ? "center" : "start", behavior: "instant" });
  }
}
