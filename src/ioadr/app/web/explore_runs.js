// Estimations, shown sweep by sweep, and the parameters of "what if".
"use strict";

/** Posts a question whose answer comes in lines of JSON; `heard` gets each. Aborting it, or leaving the page, stops the work. */
async function listenTo(address, question, signal, heard) {
  const response = await fetch(address, { method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) });
  if (!response.ok) throw new Error((await response.json()).error);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const told = JSON.parse(line);
      if (told.error) throw new Error(told.error);
      await heard(told);
    }
  }
}

/** One estimation at a time for this page: a bar, a text, a way to stop it. */
class Run {
  constructor() {
    this.control = null;
    $("cancel").addEventListener("click", () => this.cancel());
  }

  get busy() {
    return this.control !== null;
  }

  cancel() {
    if (this.control) this.control.abort();
  }

  /** Resolves to what the last line said, or to null when it was cancelled. */
  async start(address, question, heard) {
    this.cancel();
    const control = new AbortController();
    let last = null;
    this.control = control;
    this.show(0, "starting");
    try {
      await listenTo(address, question, control.signal, async (told) => {
        if (told.record) this.show((told.record.sweep + 1) / told.total, Run.text(told));
        else if (told.state) this.show(0, told.state === "waiting" ? "waiting for another estimation to finish" : "first map (compiled on first use)");
        await heard(told);
        last = told;
      });
      return last;
    } catch (error) {
      if (error.name === "AbortError") return null;
      throw error;
    } finally {
      if (this.control === control) {
        this.control = null;
        $("progress").hidden = true;
        $("start").hidden = false;
      }
    }
  }

  show(share, text) {
    $("progress").hidden = false;
    $("start").hidden = true;
    $("done").value = share;
    $("stage").textContent = text;
  }

  static text({ record, total }) {
    if (record.kind === "initialise") return `first map, ${total} sweeps to go`;
    const step = `${Math.min(record.sweep + 1, total)} of ${total}`;
    return record.kind === "finish" ? `finishing, step ${step}` : `sweep ${step}, cost ${fixed(record.cost, 2)}`;
  }
}

/** Sliders for the parameters that may be changed; `changed` gets those that differ from the result's. */
class Knobs {
  constructor(parent, changed) {
    this.parent = parent;
    this.changed = changed;
    this.knobs = [];
  }

  show(parameters, changes) {
    this.parent.replaceChildren();
    this.knobs = parameters.map((parameter) => this.knob(parameter, changes[parameter.name] ?? parameter.value));
  }

  knob(parameter, value) {
    const { name, letter, help } = parameter, row = this.parent.appendChild(document.createElement("div"));
    row.className = "knob";
    row.title = help;
    const label = row.appendChild(document.createElement("label"));
    label.textContent = letter;
    label.htmlFor = `knob-${name}`;
    const input = row.appendChild(document.createElement("input")), output = row.appendChild(document.createElement("span"));
    output.className = "number";
    input.id = label.htmlFor;
    if (typeof parameter.value === "boolean") {
      input.type = "checkbox";
      input.checked = value;
    } else {
      Object.assign(input, Knobs.bounds(parameter), { type: "range" });
      input.value = value;
    }
    const read = () => (input.type === "checkbox" ? input.checked : Number(input.value));
    const tell = () => {
      output.textContent = typeof read() === "boolean" ? (read() ? "on" : "off") : String(+read().toPrecision(4));
      row.classList.toggle("changed", read() !== parameter.value);
    };
    input.addEventListener("input", () => { tell(); this.changed(this.changes()); });
    tell();
    return { name, read, original: parameter.value };
  }

  /** From nothing to four times the value, inside what makes sense. */
  static bounds({ value, low, high }) {
    const whole = Number.isInteger(value) && high !== null && high >= 20;
    const most = Math.min(high ?? Infinity, value ? (whole ? 3 : 4) * value : 1);
    return { min: low ?? 0, max: most, step: whole ? 1 : most / 200 };
  }

  changes() {
    return Object.fromEntries(this.knobs.filter(({ read, original }) => read() !== original).map(({ name, read }) => [name, read()]));
  }
}

/** A re-estimated part: before, after, and the difference. */
function drawNeighbourhood(parent, { shape, before, after, top, left }, scene, layers) {
  const [height, width] = shape, floats = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const first = floats(before), second = floats(after), both = [...first, ...second].sort((a, b) => a - b);
  const low = both[Math.floor(0.01 * both.length)], high = both[Math.floor(0.99 * (both.length - 1))];
  const change = second.map((d, i) => d - first[i]);
  const made = panel(parent, "Re-estimated part", "neighbourhood");
  const trio = made.body;
  trio.className = "trio";
  const add = (text, fill) => {
    const box = trio.appendChild(document.createElement("div"));
    box.appendChild(picture(width, height, fill));
    box.appendChild(document.createElement("small")).textContent = text;
  };
  const missed = (values) => {
    if (!layers.truth) return "";
    let sum = 0;
    values.forEach((d, i) => { sum += Math.abs(d - layers.truth[(top + Math.floor(i / width)) * scene.width + left + (i % width)]); });
    return `, mean error ${fixed(sum / values.length, 3)} px`;
  };
  add(`before${missed(first)}`, along(scene.scales.depth, first, low, high));
  add(`with these settings${missed(second)}`, along(scene.scales.depth, second, low, high));
  add("change, ±0.1 px", along(scene.scales.signed, change, -0.1, 0.1));
  const moved = change.filter((d) => Math.abs(d) > 0.01).length / change.length;
  made.output.textContent = `${fixed(100 * moved, 0)} % moved by more than 0.01 px`;
  made.source = () => sideBySide([...trio.querySelectorAll("canvas")]);
}

function sideBySide(canvases) {
  const scale = 6, gap = 12, all = document.createElement("canvas"), context = all.getContext("2d");
  all.width = canvases.reduce((sum, one) => sum + one.width * scale + gap, -gap);
  all.height = Math.max(...canvases.map((one) => one.height * scale));
  context.imageSmoothingEnabled = false;
  let x = 0;
  for (const one of canvases) {
    context.drawImage(one, x, 0, one.width * scale, one.height * scale);
    x += one.width * scale + gap;
  }
  return all;
}
