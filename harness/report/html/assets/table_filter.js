// Keeps those rows of a table in which all words occur, and says how many they are.

function startFiltering(input) {
  const table = document.getElementById(input.dataset.for);
  if (!table) return;
  let texts = null;
  const output = outputOf(input);
  const apply = () => {
    texts = texts || rowsOf(table).map((row) => row.textContent.toLowerCase());
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = rowsOf(table).filter((row, i) => keepRow(row, words.every((word) => texts[i].includes(word))));
    restartPortions(table);
    output.textContent = words.length ? `${kept.length} of ${texts.length} rows` : "";
  };
  input.addEventListener("input", apply);
  if (input.value) apply();
}

function keepRow(row, kept) {
  if (row.hidden === kept) row.hidden = !kept;
  return kept;
}

// The place for the count: the one the page has, or a new one.
function outputOf(input) {
  const near = input.closest("p, div").querySelector("output");
  if (near) return near;
  const output = document.createElement("output");
  input.after(output);
  return output;
}
