// Arrays that were packed into the page: base64, deflated, differences along rows, high and low bytes apart.
"use strict";

async function unpack({ shape, bytes, data }) {
  const text = atob(data);
  const deflated = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) deflated[i] = text.charCodeAt(i);
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const count = planes.length / bytes;
  const values = bytes === 2 ? new Uint16Array(count) : new Uint8Array(count);
  const channels = shape[2] || 1, row = shape[1] * channels;
  for (let i = 0; i < count; i++) {
    const step = bytes === 2 ? (planes[i] << 8) | planes[count + i] : planes[i];
    values[i] = i % row < channels ? step : values[i - channels] + step; // wraps around, as it did when packed
  }
  return values;
}

/** Real numbers of a packed map; NaN where there is none. */
async function unpackValues(layer) {
  const samples = await unpack(layer);
  return Float32Array.from(samples, (sample) => (sample ? layer.offset + layer.scale * sample : NaN));
}

/** A canvas with the colours that `colour(i)` gives as [r, g, b] or as an offset into an array of colours. */
function picture(width, height, fill) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const out = image.data;
  for (let i = 0; i < width * height; i++) {
    fill(i, out, 4 * i);
    out[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** A fill for `picture`: values low … high along a scale of 256 colours, grey where there is none. */
function along(scale, values, low, high) {
  const factor = 255 / (high - low || 1);
  return (i, out, at) => {
    const place = (values[i] - low) * factor;
    if (place !== place) return out.fill(128, at, at + 3);
    const from = 3 * Math.round(Math.min(Math.max(place, 0), 255));
    for (let c = 0; c < 3; c++) out[at + c] = scale[from + c];
  };
}

/** A fill for `picture` from three channels. */
function channels(rgb) {
  return (i, out, at) => {
    for (let c = 0; c < 3; c++) out[at + c] = rgb[3 * i + c];
  };
}

/** The scale as a CSS gradient, for colour bars. */
function gradient(scale, reversed) {
  const stops = [];
  for (let k = 0; k <= 8; k++) {
    const from = 3 * Math.round((reversed ? 8 - k : k) * 31.875);
    stops.push(`rgb(${scale[from]} ${scale[from + 1]} ${scale[from + 2]})`);
  }
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
