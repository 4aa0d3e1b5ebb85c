// Of long tables some hundred rows are laid out at a time, more as one scrolls: 3,000 rows would take the browser longer to
// arrange than to sort. Sorting and filtering are of all rows, and printing shows all.

const portion = 300;
const shownRows = new Map();   // how many, of tables that have more

function startPortions(table) {
  const frame = table.closest(".scroll.long");
  if (!frame) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "more";
  button.textContent = `Show all ${d3.format(",")(rowsOf(table).length)} rows`;
  button.addEventListener("click", () => showRows(table, Infinity));
  frame.after(button);
  frame.addEventListener("scroll", () => {
    if (frame.scrollTop + 2 * frame.clientHeight > frame.scrollHeight) showRows(table, shownRows.get(table) + portion);
  });
  window.addEventListener("beforeprint", () => showRows(table, Infinity));
  showRows(table, portion);
}

// Lays out the first `count` of those rows that the filter keeps.
function showRows(table, count) {
  const kept = Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
  kept.forEach((row, i) => row.classList.toggle("later", i >= count));
  shownRows.set(table, count);
  table.closest(".scroll").nextElementSibling.hidden = kept.length <= count;
}

// After another order or filter: from the beginning, unless all were asked for.
function restartPortions(table) {
  if (shownRows.has(table)) showRows(table, Number.isFinite(shownRows.get(table)) ? portion : Infinity);
}
