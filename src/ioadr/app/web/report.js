// Brings the report's page to life from the data in it.
"use strict";

async function start() {
  const page = JSON.parse($("data").textContent);
  const layers = {};
  for (const [name, layer] of Object.entries(page.layers)) {
    layers[name] = "scale" in layer ? await unpackValues(layer) : await unpack(layer);
  }
  const scales = {};
  for (const [name, scale] of Object.entries(page.scales)) scales[name] = await unpack(scale);
  const depth = layers.disparity.map((d) => 1 / (page.rays.slope * d + page.rays.offset));
  depth.forEach((z, i) => { if (!(z > 0)) depth[i] = NaN; });
  const why = await reasons(page.why);
  const views = maps(page, layers, scales, depth, why);
  views.onshow = (row, column) => {
    const i = row * page.width + column;
    $("why").textContent = why.sentence(i, { visible: layers.visible[i], disparity: layers.disparity[i], depth: depth[i], unit: page.unit });
  };
  const strips = await epis(page, layers, views);
  views.onselect = strips;
  views.select(page.height >> 1, page.width >> 1);
  await stage(page, layers, scales, depth);
  document.documentElement.dataset.ready = "true";
}

/** The linked panes. */
function maps(page, layers, scales, depth, why) {
  const { width, height, unit } = page;
  const viewer = new LinkedViewer(width, height);
  const at = (row, column) => row * width + column;
  const [low, high] = page.layers.disparity.shown;
  const near = 1 / (page.rays.slope * high + page.rays.offset), far = 1 / (page.rays.slope * low + page.rays.offset);
  const metres = DEPTHS[unit].after;
  const add = (title, fill, value, legend) =>
    viewer.add($("panes"), { title, picture: picture(width, height, fill), value: (n, m) => value(at(n, m), n, m), legend });
  const bar = (name, from, to, reversed) => ({ css: gradient(scales[name], reversed), low: from, high: to });

  add("Reference view", channels(layers.image), (i, n, m) => `row ${n * page.thin}, col ${m * page.thin}`, { low: "click to select a pixel" });
  add("Disparity", along(scales.depth, layers.disparity, low, high), (i) => `${fixed(layers.disparity[i], 3)} px`,
    bar("depth", `${fixed(low, 2)} far`, `${fixed(high, 2)} near`));
  add(DEPTHS[unit].title, along(scales.depth, depth.map((z) => -z), -far, -near),
    (i) => `${fixed(depth[i], 3)}${metres}`, bar("depth", `${fixed(far, 2)}${metres}`, `${fixed(near, 2)}${metres}`));
  add("Normals", channels(layers.normals), (i) => normalText(layers.normals, i), {
    low: "red: right, green: up, blue: towards the camera" });
  add("Confidence", along(scales.confidence, layers.confidence, 0, 255), (i) => why.trusted(i) + (why.twoMinima(i) ? ", two minima" : ""),
    bar("confidence", "0", "1"));
  add("Visible views", along(scales.confidence, layers.visible, 0, page.views), (i) => `${layers.visible[i]} of ${page.views}`,
    bar("confidence", "0", String(page.views)));
  if (layers.error) {
    add("Truth", along(scales.depth, layers.truth, low, high), (i) => `${fixed(layers.truth[i], 3)} px`,
      bar("depth", `${fixed(low, 2)} far`, `${fixed(high, 2)} near`));
    add("Error against truth", along(scales.signed, layers.error, -0.1, 0.1), (i) => `${fixed(layers.error[i], 3)} px`,
      bar("signed", "−0.1 too far", "0.1 too near"));
    add("Bad pixels", bad(layers.error), (i) => (Math.abs(layers.error[i]) > 0.07 ? "off by more than 0.07 px" : ""), {
      css: "linear-gradient(to right, #dcdad6 25%, #e7b04a 25% 50%, #d9603b 50% 75%, #7d1d3f 75%)", low: "good", high: "over 0.07 px" });
  }
  $("whole").addEventListener("click", () => viewer.reset());
  return viewer;
}

/** EPIs through the chosen pixel; returns what to do when another is chosen. */
async function epis(page, layers, viewer) {
  const strips = {};
  for (const [direction, title] of [["row", "Row"], ["column", "Column"]]) {
    const views = page.epis[direction];
    if (!views) continue;
    for (const view of views) view.image = await decoded(view.jpeg);
    const turned = views.map(({ offset, image }) => ({ offset: offset / page.thin, image }));
    strips[direction] = new EpiStrip($("strips"), `${title} EPI`, turned, direction);
  }
  const disparity = layers.disparity, { width, height } = page;
  const show = (row, column) => {
    const down = Float32Array.from({ length: height }, (_, n) => disparity[n * width + column]);
    if (strips.row) strips.row.draw(row, column, disparity.slice(row * width, (row + 1) * width));
    if (strips.column) strips.column.draw(column, row, down);
    $("row").value = row;
    $("column").value = column;
    $("row-value").textContent = row * page.thin;
    $("column-value").textContent = column * page.thin;
  };
  const chosen = () => viewer.select(Number($("row").value), Number($("column").value));
  if (!strips.row && !strips.column) return () => {};
  for (const id of ["row", "column"]) $(id).addEventListener("input", chosen);
  if (strips.row) strips.row.onselect = (column) => viewer.select(viewer.selected[0], column);
  if (strips.column) strips.column.onselect = (row) => viewer.select(row, viewer.selected[1]);
  $("slopes").addEventListener("click", () => {
    const on = $("slopes").getAttribute("aria-pressed") !== "true";
    $("slopes").setAttribute("aria-pressed", on);
    for (const strip of Object.values(strips)) strip.slopes = on;
    show(...viewer.selected);
  });
  return show;
}

function decoded(base64) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error("a view could not be decoded"));
    image.src = `data:image/jpeg;base64,${base64}`;
  });
}

/** The scene in 3D. */
async function stage(page, layers, scales, depth) {
  const { width, height, rays, thin } = page;
  const unseen = await Unseen.of(page.unseen);
  const places = (factor) => unseen.behind(placesInSpace(factor === 1 ? depth : relieved(depth, factor), width, thin, rays), unseen.places(rays, factor));
  let scene;
  try {
    const cells = await unpack(page.cells);
    scene = new Scene3D($("scene"), { width, height, positions: places(1), cells, pitch: rays.pitch_x * thin, flying: unseen.flying });
  } catch (error) {
    $("scene").parentElement.insertAdjacentHTML("beforeend", '<p class="message">This browser does not support WebGL 2, which the 3D view needs. The point cloud is in points.ply.</p>');
    return;
  }
  const colours = unseen.colours(scales.confidence, {
    photo: () => layers.image,
    shape: () => clay(layers.normals),
    confidence: () => painted(along(scales.confidence, layers.confidence, 0, 255), depth.length),
  });
  choice("colours", (name) => scene.colour(colours[name]()));
  choice("mode", (name) => { scene.mode = name; scene.draw(); });
  $("home").addEventListener("click", () => scene.home());
  window.tools = new SceneTools($("tools"), scene, page.unit, places);
  $("all-views")?.addEventListener("click", () => scene.showAll(toggled($("all-views"))));
  scene.colour(colours.photo());
  window.scene = scene;
}

start().catch((error) => {
  document.documentElement.dataset.ready = "failed";
  $("panes").textContent = `This page needs a browser from 2023 or later (${error.message}).`;
  throw error;
});
