// The explorer's page: one state (pixel, layer, trial disparity, view, result, changes), kept in the address.
"use strict";

/** The maps of a result, by name. */
async function resultLayers(key) {
  const layers = {};
  for (const [name, kind] of [["disparity", Float32Array], ["normals", Uint8Array], ["confidence", Float32Array], ["visible", Uint16Array]]) {
    layers[name] = new kind(await fetched(`api/layer/${name}?result=${key}`));
  }
  return layers;
}

const ENDING = ["surface", "residuals", "border", "doubts"]; // panels about the steps after the sweeps
const QUADS = [
  ["image", "What each view sees", "4D-PPI"],
  ["trial", "What each view sees at the trial", "4D-PPI", "trial"],
  ["weights", "Weights of the neighbours", "weights χ", "J_coc"],
  ["plane", "Plane fitted to the normals", "plane", "J_pg"],
  ["surface", "Surface fitted after the sweeps", "surface", "target"],
  ["residuals", "Differences between views", "residual", "target"],
  ["border", "Border between two surfaces", "border", "coverage"],
  ["doubts", "What lowers the confidence", "confidence", "doubt"],
];

class Explorer {
  constructor(scene) {
    this.scene = scene;
    this.results = new Map(scene.results.map((result) => [result.key, result]));
    this.state = { pixel: null, layer: "disparity", trial: null, view: null, place: null, focus: false, overlay: "none", close: false, result: "", changes: {}, ...stateOf(location.hash) };
    this.preview = null;
    this.answer = this.before = this.hypothesis = null;
    this.views = new Views(scene, (row, column) => this.choosePixel(row, column));
    this.views.onplace = (...where) => this.lookAt(...where);
    this.views.viewer.onrender = () => { this.drawEpis(); this.remember(); };
    this.curve = new Curve($("curve"), scene.terms, scene.range, (d, lasting) => this.tryOut(d, lasting));
    this.slider();
    const along = { row: (column) => this.views.viewer.select(this.state.pixel[0], column), column: (row) => this.views.viewer.select(row, this.state.pixel[1]) };
    this.epis = { row: new Epi($("epis"), "Row EPI", "row-epi", along.row), column: new Epi($("epis"), "Column EPI", "column-epi", along.column) };
    this.quads = {};
    for (const [name, title, ...words] of QUADS) {
      this.quads[name] = panel($(ENDING.includes(name) ? "endings" : "quads"), title, name);
      explained(this.quads[name], scene.glossary, ...words);
    }
    this.way = new WayStrip($("way"), (d, lasting) => this.tryOut(d, lasting));
    explained(this.way.panel, scene.glossary, "history");
    explained(this.curve.panel, scene.glossary, "cost", "second minimum");
    for (const epi of Object.values(this.epis)) explained(epi.panel, scene.glossary, "EPI");
    for (const name of ENDING) this.quads[name].figure.hidden = true;
    this.quads.doubts.figure.querySelector(".save").remove();
    this.views.wipe = new Wipe(this.views, () => this.views.viewer.draw());
    this.tour = new Tour(this);
    this.pixels = new Newest(() => this.askPixel());
    this.endings = new Newest(() => this.askEnding());
    this.hypotheses = new Newest(() => this.askHypothesis());
    this.looks = new Newest((...what) => this.views.look(...what));
    this.run = new Run();
    this.knobs = new Knobs($("knobs"), (changes) => { this.state.changes = changes; this.pixels.call(); });
    this.controls();
    addEventListener("keydown", (event) => pressed(this, event));
    addEventListener("hashchange", () => this.follow());
  }

  async start() {
    const { scene } = this;
    const image = new Uint8Array(await fetched("api/layer/image"));
    this.views.layers.image = image;
    this.views.pictures.image = picture(scene.width, scene.height, channels(image));
    await this.views.look({ view: null, place: null, focus: null });
    document.documentElement.dataset.seen = "true";
    if (scene.truth) this.views.layers.truth = new Float32Array(await fetched("api/layer/truth"));
    await this.follow();
  }

  // What the address says.

  async follow() {
    const { result = "given", changes = {} } = stateOf(location.hash), known = this.results.has(result);
    if (!known && result !== "given") say("The result in this link no longer exists. Estimate it again.");
    await this.useResult(known ? result : [...this.results.keys()].pop() || "", changes);
    this.restore();
  }

  restore() {
    const { scene, views } = this, { changes, result, ...said } = stateOf(location.hash), [low, high] = scene.range;
    if (said.view && !scene.present[said.view[0]]?.[said.view[1]]) delete said.view;
    if (said.place) said.place = views.pad.inside(said.place);
    if ("trial" in said) said.trial = Math.min(Math.max(said.trial, low), high);
    Object.assign(this.state, said);
    if (said.zoom) Object.assign(views.viewer, { zoom: said.zoom[0], top: said.zoom[1], left: said.zoom[2] });
    const [row, column] = this.state.pixel || [scene.height >> 1, scene.width >> 1];
    press("overlay", this.state.overlay);
    $("focus").setAttribute("aria-pressed", this.state.focus);
    this.chooseLayer(this.state.layer);
    views.viewer.select(row, column);
    this.look();
    this.started = true;
  }

  remember() {
    if (!this.started || this.remembering) return;
    this.remembering = setTimeout(() => {
      this.remembering = null;
      history.replaceState(null, "", `#${linkOf(this.state, this.views.viewer)}`);
    }, 200);
  }

  // Results and maps.

  async useResult(key, changes = {}) {
    this.state.result = key;
    const known = this.results.get(key), layers = known ? await resultLayers(key) : {};
    Object.assign(this.views, { result: key, count: known ? known.views : this.scene.views, everyView: Boolean(known?.every_view), continuous: Boolean(known) && (this.scene.planar || known.every_view) });
    this.views.show(layers);
    const meant = ([name, value]) => known?.parameters.some((one) => one.name === name) && value === value;
    this.state.changes = Object.fromEntries(Object.entries(changes).filter(meant));
    $("what-if").hidden = !known;
    if (known) this.knobs.show(known.parameters, this.state.changes);
    if (Object.keys(this.state.changes).length) $("what-if").open = true;
    this.listResults();
    this.listLayers();
    if (this.state.pixel) this.pixels.call();
    if (this.state.place) this.look();
  }

  listResults() {
    $("results").hidden = $("tour").hidden = this.results.size === 0;
    this.views.wipe.list(this.results, this.state.result);
    $("result").replaceChildren(...[...this.results.values()].map(({ key, label }) => new Option(label, key, false, key === this.state.result)));
    $("estimate").classList.toggle("primary", this.results.size === 0);
  }

  listLayers() {
    const kinds = this.views.kinds();
    $("layer").replaceChildren(...kinds.map(([name, label], i) => {
      const button = document.createElement("button");
      Object.assign(button, { value: name, textContent: label, title: `${label} (${i + 1})` });
      button.addEventListener("click", () => this.chooseLayer(name));
      return button;
    }));
    if (kinds.length) this.chooseLayer(kinds.some(([name]) => name === this.state.layer) ? this.state.layer : "disparity");
    else this.emptyMap();
  }

  emptyMap() {
    this.views.clear("No result yet");
    this.views.right.figure.querySelector(".scale").replaceChildren(`Press Estimate (about ${Math.max(1, Math.round(this.scene.seconds))} s). Until then, click a pixel to see how well the views agree.`);
  }

  chooseLayer(name) {
    this.state.layer = name;
    press("layer", name);
    this.views.choose(name);
    this.remember();
  }

  // The pixel.

  choosePixel(row, column) {
    this.state.pixel = [row, column];
    if (this.views.space) this.views.space.mark(this.state.pixel);
    if (this.views.offset()) this.views.viewer.draw();
    this.pixels.call();
  }

  async askPixel() {
    const slow = setTimeout(() => say("The first click after installation compiles some code. This takes about 20 s and happens once."), 2000);
    try {
      await this.drawPixel();
    } finally {
      clearTimeout(slow);
    }
    if ($("message").textContent.startsWith("The first click")) say("");
  }

  async drawPixel() {
    const clock = performance.now(), changed = Object.keys(this.state.changes).length > 0;
    const answer = await asked(`api/pixel?${question(this.state)}`);
    this.before = changed ? await asked(`api/pixel?${question({ ...this.state, changes: {} })}`) : null;
    this.answer = answer;
    this.hypothesis = null;
    this.draw();
    document.documentElement.dataset.answered = `${answer.row},${answer.column}`;
    document.documentElement.dataset.milliseconds = Math.round(performance.now() - clock);
    document.documentElement.dataset.ready = "true";
    this.hypotheses.call();
    this.endings.call();
    this.remember();
  }

  /** What came after the sweeps takes a moment longer. */
  async askEnding() {
    const { answer } = this;
    if (answer.disparity === null) return;
    const told = await asked(`api/ending?${question({ ...this.state, changes: {} })}`);
    if (told.row !== this.answer.row || told.column !== this.answer.column || this.answer.disparity === null) return;
    this.drawEnding(told);
    document.documentElement.dataset.told = `${told.row},${told.column}`;
  }

  async askHypothesis() {
    const trial = this.trial();
    this.hypothesis = trial === null || !this.answer ? null : await asked(`api/hypothesis?${question(this.state, { disparity: trial })}`);
    this.drawTrial();
  }

  trial() {
    return this.preview ?? this.state.trial;
  }

  tryOut(disparity, lasting) {
    this.preview = lasting ? null : disparity;
    if (lasting && disparity !== null) this.state.trial = disparity;
    this.showTrial();
    this.hypotheses.call();
    if (this.answer) this.drawCurve();
    this.drawEpis();
    if (lasting && this.state.focus) this.look(true);
    this.remember();
  }

  showTrial() {
    $("trial").value = this.trial() ?? this.answer?.disparity ?? this.scene.range[0];
  }

  // Figures.

  draw() {
    const { answer, scene } = this, layers = this.views.layers, pixel = [answer.row, answer.column];
    this.showTrial();
    this.tell(answer.sentence);
    this.way.draw(answer.way);
    $("numbers").replaceChildren(...numbers(answer, layers, scene, this.views.count).map(numberBox));
    this.drawCurve();
    drawPointImage(this.quads.image, answer.image, scene.reference, (view) => this.lookFrom(view));
    this.quads.image.title.textContent = answer.disparity === null ? "What each view sees at the minimum" : "What each view sees";
    for (const name of ENDING) this.quads[name].figure.classList.toggle("busy", answer.disparity !== null);
    if (answer.disparity === null) for (const name of ENDING) this.quads[name].figure.hidden = true;
    drawWeights(this.quads.weights, answer.support, layers, scene, pixel);
    drawPlane(this.quads.plane, answer.plane, layers, scene, pixel);
    $("overlay").querySelector("[value=plane]").hidden = !answer.plane;
    $("overlay").hidden = !answer.support;
    this.views.overlay = OVERLAYS[this.state.overlay](answer);
    this.views.viewer.draw();
  }

  tell(sentence) {
    $("sentence").hidden = !sentence;
    $("sentence").textContent = sentence ?? "";
  }

  drawEnding(told) {
    const { scene } = this, pixel = [told.row, told.column];
    this.tell(told.sentence);
    drawSurface(this.quads.surface, told.surface, this.views.layers, scene, pixel);
    drawResiduals(this.quads.residuals, told.views, scene.reference, (view) => this.lookFrom(view));
    drawBorder(this.quads.border, told.border, scene.reference, (view) => this.lookFrom(view));
    drawDoubts(this.quads.doubts, told);
    this.quads.doubts.figure.hidden = false;
    for (const name of ENDING) this.quads[name].figure.classList.remove("busy");
    this.tour.settled();
  }

  drawCurve() {
    const { truth } = this.views.layers, { answer, before } = this;
    this.curve.close = this.state.close;
    this.curve.panel.title.textContent = this.results.get(this.state.result)?.finished ? "Cost against disparity, in the sweeps" : "Cost against disparity";
    this.curve.draw({ answer, before, trial: this.trial(), truth: truth ? truth[answer.row * this.scene.width + answer.column] : null });
  }

  drawTrial() {
    const made = this.quads.trial, told = this.hypothesis;
    $("trial-value").textContent = told ? `${fixed(told.image.disparity, 3)} px, cost ${fixed(totalOf(told.costs, this.scene), 2)}` : "none";
    if (!told) return nothing(made, "Move the pointer along the cost curve, or set a trial disparity, to see what the views show there.");
    drawPointImage(made, told.image, this.scene.reference, (view) => this.lookFrom(view));
  }

  drawEpis() {
    if (this.answer) drawEpis(this.epis, this.answer, this.trial(), this.scene, this.views.viewer);
  }

  // Looking around.

  look(quick = false) {
    const focus = this.state.focus ? this.state.trial ?? this.answer?.disparity ?? this.scene.range[0] : null;
    this.looks.call({ view: this.state.view, place: this.state.place, focus, quick });
    if (quick) {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.look(), 350);
    }
  }

  lookFrom(view, place = null, quick = false) {
    Object.assign(this.state, { view, place, focus: false });
    $("focus").setAttribute("aria-pressed", "false");
    this.look(quick);
    this.remember();
  }

  /** From anywhere among the views; `way` is where a key wants to go, if only captured views can be shown. */
  lookAt(place, lasting, way = null) {
    if (!place) return this.lookFrom(null);
    const view = this.views.pad.meant(place, !this.views.continuous);
    if (way && !this.views.continuous) return this.step(...way);
    return view ? this.lookFrom(view) : this.lookFrom(null, place, !lasting);
  }

  step(down, right) {
    const [l, k] = this.state.place ? this.views.pad.meant(this.state.place, true) : this.state.view || this.scene.reference;
    const next = [l + down, k + right];
    if (this.scene.present[next[0]]?.[next[1]]) this.lookFrom(next);
  }

  // Controls.

  slider() {
    const row = $("curve").appendChild(document.createElement("div")), [low, high] = this.scene.range;
    row.className = "trial";
    row.innerHTML = '<label for="trial">trial</label><input type="range" id="trial"><output id="trial-value" for="trial"></output><button id="cheapest" title="Move the trial to the disparity of lowest cost (m)">Minimum</button><button id="close" aria-pressed="false" title="Switch between the whole range and a close-up (z)">Close-up</button>';
    Object.assign($("trial"), { min: low, max: high, step: (high - low) / 1000 });
    $("trial").addEventListener("input", () => this.tryOut(Number($("trial").value), true));
    $("cheapest").addEventListener("click", () => this.answer && this.tryOut(this.answer.minimum.disparity, true));
    $("close").addEventListener("click", () => this.zoomCurve());
  }

  zoomCurve() {
    this.state.close = !this.state.close;
    $("close").setAttribute("aria-pressed", this.state.close);
    if (this.answer) this.drawCurve();
    this.remember();
  }

  controls() {
    introduce(this.scene);
    $("close").setAttribute("aria-pressed", this.state.close);
    $("preset").replaceChildren(...this.scene.presets.map((name) => new Option(name, name)));
    $("estimate").addEventListener("click", () => this.estimate({ preset: $("preset").value }));
    $("all").addEventListener("click", () => this.estimate({ result: this.state.result, changes: this.state.changes }));
    $("again").addEventListener("click", () => this.estimateAround());
    $("undo").addEventListener("click", () => { this.state.changes = {}; this.knobs.show(this.results.get(this.state.result).parameters, {}); this.pixels.call(); });
    $("result").addEventListener("change", () => this.useResult($("result").value));
    choice("overlay", (name) => this.chooseOverlay(name));
    $("focus").addEventListener("click", () => this.toggleFocus());
    $("help").addEventListener("click", () => $("keys").showModal());
    $("link").addEventListener("click", () => this.copyLink());
  }

  async copyLink() {
    const address = `${location.origin}${location.pathname}#${linkOf(this.state, this.views.viewer)}`;
    history.replaceState(null, "", address);
    await navigator.clipboard.writeText(address);
    $("link").textContent = "Copied";
    setTimeout(() => { $("link").textContent = "Copy link"; }, 1200);
  }

  chooseOverlay(name) {
    this.state.overlay = name;
    press("overlay", name);
    this.views.overlay = this.answer ? OVERLAYS[name](this.answer) : null;
    this.views.viewer.draw();
  }

  toggleFocus() {
    this.state.focus = !this.state.focus;
    $("focus").setAttribute("aria-pressed", this.state.focus);
    this.look();
    this.remember();
  }

  // Estimations.

  async estimate(question) {
    say("");
    try {
      const last = await this.run.start("api/estimate", question, async (told) => {
        if (told.map) this.showLive(await unpackValues(told.map));
      });
      if (!last?.result) return await this.useResult(this.state.result, this.state.changes);
      this.results.set(last.result.key, last.result);
      await this.useResult(last.result.key);
    } catch (error) {
      say(error.message);
    }
  }

  /** The map as it is after a sweep; the other maps are not made yet. */
  showLive(disparity) {
    this.views.show({ disparity });
    this.listLayers();
    if (!["disparity", "depth", "error", "bad"].includes(this.views.chosen)) this.chooseLayer("disparity");
  }

  async estimateAround() {
    say("");
    const [row, column] = this.state.pixel;
    try {
      const last = await this.run.start("api/neighbourhood", { row, column, result: this.state.result, changes: this.state.changes }, async () => {});
      $("neighbourhood").replaceChildren();
      if (last?.neighbourhood) drawNeighbourhood($("neighbourhood"), last.neighbourhood, this.scene, this.views.layers);
    } catch (error) {
      say(error.message);
    }
  }
}

function introduce(scene) {
  document.title = `${scene.name} – ioadr explore`;
  $("name").textContent = scene.name;
  $("lead").textContent = `${scene.facts.views} views, ${scene.facts.image}, disparity ${fixed(scene.range[0], 2)} … ${fixed(scene.range[1], 2)} px`;
  $("lead").title = Object.entries(scene.facts).map(([name, text]) => `${name}: ${text}`).join("\n");
}

asked("api/scene").then((scene) => {
  window.explorer = new Explorer(scene);
  return window.explorer.start();
}).catch((error) => {
  document.documentElement.dataset.ready = "failed";
  say(error.message);
  throw error;
});
