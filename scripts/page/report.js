"use strict";

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

document.getElementById("theme").addEventListener("click", () => {
  const now = root.dataset.theme || (dark.matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});

/* What a cell is sorted by: a number where it shows one, else its text; empty cells are last either way. */
function sortValue(row, place) {
  const text = row.cells[place].textContent;
  if (text === "") return null;
  const number = Number(text.replace(/,/g, "").replace("\u2212", "-"));
  return Number.isNaN(number) ? text : number;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en");
}

function sortBy(head) {
  const table = head.closest("table");
  const descending = head.getAttribute("aria-sort") === "none" ? head.classList.contains("n") : head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentElement.cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const sign = descending ? -1 : 1;
  const rows = Array.from(table.tBodies[0].rows, (row) => [sortValue(row, head.cellIndex), row]);
  rows.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b)));
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

for (const head of document.querySelectorAll("table[data-name] th")) {
  head.firstElementChild.addEventListener("click", () => sortBy(head));
}

/* A text that a spreadsheet would take for a formula gets an apostrophe; a number stays one. */
function csvCell(text) {
  let value = text.replace("\u2212", "-");
  if (/^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value))) value = "'" + value;
  return /[",\n\r]/.test(value) ? '"' + value.replace(/"/g, '""') + '"' : value;
}

function csv(name) {
  const table = document.querySelector(`table[data-name="${name}"]`);
  return Array.from(table.rows, (row) => Array.from(row.cells, (cell) => csvCell(cell.textContent)).join(",")).join("\r\n") + "\r\n";
}

async function copy(button) {
  const text = csv(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    /* A file opened from disk may have no clipboard: select a copy of the text instead. */
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const said = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = said; }, 1500);
}

function save(button) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff" + csv(button.dataset.save)], { type: "text/csv" }));
  link.download = button.dataset.save + ".csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button));
for (const button of document.querySelectorAll("[data-save]")) button.addEventListener("click", () => save(button));
