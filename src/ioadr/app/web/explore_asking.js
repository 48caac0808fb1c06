// How the page asks the server, and says what went wrong.
"use strict";

async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error((await response.json()).error);
  return response.arrayBuffer();
}

async function asked(address) {
  const response = await fetch(address), answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

/** Asks for the newest thing only: what came up while an answer was under way is asked for after it, the rest never. */
class Newest {
  constructor(ask) {
    this.ask = ask;
    this.waiting = null;
    this.running = false;
  }

  async call(...question) {
    this.waiting = question;
    if (this.running) return;
    this.running = true;
    while (this.waiting) {
      const next = this.waiting;
      this.waiting = null;
      try {
        await this.ask(...next);
      } catch (error) {
        say(error.message);
      }
    }
    this.running = false;
  }
}

function say(text) {
  $("message").hidden = !text;
  $("message").textContent = text;
}

/** The query for a pixel as the state has it, its changes of parameters included. */
function question({ pixel, result, changes }, extra = {}) {
  const [row, column] = pixel, query = new URLSearchParams({ row, column, result, ...extra });
  for (const [name, value] of Object.entries(changes)) query.append("set", `${name}:${value}`);
  return query;
}
