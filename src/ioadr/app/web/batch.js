// Sorts the table by the column whose heading is clicked.
"use strict";

const table = document.getElementById("items");
const body = table.tBodies[0];

function valueOf(row, column) {
  const text = row.cells[column].dataset.value;
  const number = Number(text);
  return text !== "" && Number.isFinite(number) ? number : text;
}

function compare(a, b) {
  if (a === "" || b === "") return a === b ? 0 : a === "" ? 1 : -1;
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

for (const head of table.tHead.rows[0].cells) {
  const button = head.querySelector("button");
  if (!button) continue;
  button.addEventListener("click", () => {
    const upwards = head.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", upwards ? "ascending" : "descending");
    const column = head.cellIndex;
    const rows = [...body.rows].sort((one, two) => {
      const [a, b] = [valueOf(one, column), valueOf(two, column)];
      const order = compare(a, b);
      return upwards || a === "" || b === "" ? order : -order;
    });
    body.append(...rows);
  });
}
