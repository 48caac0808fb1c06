// A tour of three minutes: each stop says what to look at, points to it, and chooses a pixel at which it shows.
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

/** title, text, the element to point to, and what to do first; `layers` are those of the chosen result. */
const STOPS = [
  ["A light field", "Many views of one scene, taken side by side. Drag over the grid of dots to look from another view: near things move more than far ones.", ".pad", (app) => app.chooseLayer("disparity")],
  ["Disparity", "How many pixels a point moves from view to view. Bright is near. The cross marks the pixel that all else on this page is about; click to choose another.", "[data-panel=map]", (app, { trusted }) => app.views.viewer.select(...trusted)],
  ["Lines", "One row of pixels from each view, stacked. The pixel draws a line, and the slope of the line is its disparity.", "[data-panel=row-epi]"],
  ["What the views show", "One square per view: the colour where that view should see the point. One colour means that the disparity is right.", "[data-panel=image]"],
  ["Try another disparity", "Move the pointer over the curve. At a wrong disparity the squares fall apart, and the cost rises.", "#curve"],
  ["Something in the way", "Here something nearer hides the point in some views: they are crossed out and do not count. That is the idea of this method.", "[data-panel=image]", (app, { hidden }) => app.views.viewer.select(...hidden)],
  ["The way of the pixel", "From the first map through all sweeps to the result. A filled dot changed the value; point at it to see who proposed it.", "#way"],
  ["The finish", "Surfaces are fitted to what the views want around the pixel. Bright samples belong to the surface, black ones were left out.", "[data-panel=surface]"],
  ["How far to trust it", "This is where the result is trusted least. The list says why.", "[data-panel=doubts]", (app, { doubtful }) => { app.chooseLayer("confidence"); app.views.viewer.select(...doubtful); }],
  ["What if …", "Open this to change a parameter: the curve changes at once, and the surroundings of the pixel can be estimated again.", "#what-if"],
];

class Tour {
  constructor(app) {
    Object.assign(this, { app, at: -1 });
    $("tour").addEventListener("click", () => this.go(0));
    $("tour-next").addEventListener("click", () => this.go(this.at + 1));
    $("tour-back").addEventListener("click", () => this.go(this.at - 1));
    $("tour-end").addEventListener("click", () => this.go(-1));
  }

  /** Stops whose panel is there; a result without a finish has fewer. */
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
    const forward = index >= this.at, there = (i) => !STOPS[i] || !["[data-panel=surface]"].includes(STOPS[i][2]) || this.app.results.get(this.app.state.result)?.finished;
    while (!there(index)) index += forward ? 1 : -1;
    this.at = STOPS[index] ? index : -1;
    $("tour-card").hidden = this.at < 0;
    if (this.at < 0) return;
    const [title, text, target, prepare] = STOPS[this.at];
    prepare?.(this.app, this.places());
    $("tour-title").textContent = title;
    $("tour-text").textContent = text;
    $("tour-count").textContent = `${this.at + 1} of ${STOPS.length}`;
    $("tour-back").disabled = this.at === 0;
    $("tour-next").textContent = this.at === STOPS.length - 1 ? "Done" : "Next";
    const shown = document.querySelector(target);
    shown?.classList.add("toured");
    shown?.scrollIntoView({ block: "center", behavior: "instant" });
  }
}
