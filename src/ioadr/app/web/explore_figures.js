// Panels with a title, a value and a figure that can be saved as PNG or SVG.
"use strict";

/** A figure in `parent`; `source` gives the canvas or SVG element to save. */
function panel(parent, title, name) {
  const figure = parent.appendChild(document.createElement("figure"));
  figure.className = "panel";
  figure.dataset.panel = name;
  const caption = figure.appendChild(document.createElement("figcaption"));
  caption.appendChild(document.createElement("span")).textContent = title;
  const output = caption.appendChild(document.createElement("output"));
  const body = figure.appendChild(document.createElement("div"));
  const made = { figure, body, output, title: caption.firstChild, source: () => body.querySelector("svg, canvas") };
  caption.appendChild(saveButtons(title, name, () => made.source()));
  return made;
}

function saveButtons(title, name, source) {
  const buttons = document.createElement("span");
  buttons.className = "save";
  for (const [kind, save] of [["PNG", savePng], ["SVG", saveSvg]]) {
    const button = buttons.appendChild(document.createElement("button"));
    button.textContent = kind;
    button.title = `Save “${title}” as ${kind}`;
    button.addEventListener("click", () => source() && save(source(), `${fileName()}-${name}`));
  }
  return buttons;
}

const fileName = () => (document.title.split(" – ")[0] || "ioadr").replace(/[^\w.-]+/g, "_");

function download(blob, name) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
}

async function savePng(element, name) {
  const canvas = element instanceof HTMLCanvasElement ? element : await rasterised(element);
  canvas.toBlob((blob) => download(blob, `${name}.png`));
}

function saveSvg(element, name) {
  const text = element instanceof HTMLCanvasElement ? framed(element) : standalone(element).text;
  download(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
}

/** A canvas as an SVG document. */
function framed(canvas) {
  const [w, h] = [canvas.width, canvas.height];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}"><image width="${w}" height="${h}" href="${canvas.toDataURL()}"/></svg>`;
}

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "vector-effect", "image-rendering", "paint-order"];

/** An SVG of the page with its styles written into it, so that it looks the same elsewhere. */
function standalone(element) {
  const copy = element.cloneNode(true), box = element.getBoundingClientRect();
  const originals = [element, ...element.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, i) => {
    const computed = getComputedStyle(original);
    for (const style of STYLES) copies[i].style.setProperty(style, computed.getPropertyValue(style));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", box.width);
  copy.setAttribute("height", box.height);
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return { text: new XMLSerializer().serializeToString(copy), width: box.width, height: box.height };
}

function rasterised(element) {
  const { text, width, height } = standalone(element), scale = 2;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      resolve(canvas);
    };
    image.onerror = () => reject(new Error("the figure could not be drawn"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  });
}
