// Sorts a table by a column: first click upwards, second downwards, third as written. What was not measured is last.

const byWords = new Intl.Collator("en", { numeric: true }).compare;
const originalRows = new Map();

function startSorting(table) {
  const heads = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    if (button) button.addEventListener("click", () => sortBy(table, heads, column));
  });
}

function sortBy(table, heads, column) {
  const next = { ascending: "descending", descending: null }[heads[column].getAttribute("aria-sort")];
  const order = next === undefined ? "ascending" : next;
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  if (order) heads[column].setAttribute("aria-sort", order);
  const rows = order ? sorted(rowsOf(table), column, order === "ascending" ? 1 : -1) : rowsOf(table);
  replaceRows(table, rows);
  restartPortions(table);
}

// The rows as written.
function rowsOf(table) {
  if (!originalRows.has(table)) originalRows.set(table, Array.from(table.tBodies[0].rows));
  return originalRows.get(table);
}

// Keys are read once; equal ones keep the order in which they were written.
function sorted(rows, column, way) {
  const keyed = rows.map((row, place) => ({ row, place, key: keyOf(row.cells[column]) }));
  keyed.sort((a, b) => between(a.key, b.key, way) || a.place - b.place);
  return keyed.map((entry) => entry.row);
}

// A number, a text, or null for what was not measured.
function keyOf(cell) {
  if (!cell) return null;
  const given = cell.dataset.sort;
  if (given === undefined) return cell.textContent.trim() || null;
  const number = given === "" ? NaN : Number(given);
  return Number.isNaN(number) ? given || null : number;
}

// Numbers before texts, and both before what is absent, whichever the way.
function between(a, b, way) {
  const kind = (key) => (key === null ? 2 : typeof key === "number" ? 0 : 1);
  if (kind(a) !== kind(b)) return kind(a) - kind(b);
  if (a === null) return 0;
  return way * (typeof a === "number" ? a - b : byWords(a, b));
}

function replaceRows(table, rows) {
  const body = table.tBodies[0];
  const all = document.createDocumentFragment();
  rows.forEach((row) => all.append(row));
  body.append(all);
}
