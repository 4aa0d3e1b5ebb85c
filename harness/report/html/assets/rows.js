// Charts of a row each: names left, marks on one scale, values as text right. On narrow pages, and
// where values are long, name and value stand above the marks: a value is never shortened.

const rowStyle = { mark: "600 11px", note: "11px" };

// Where the columns are. `rows` have name, marks (words), text, and note (a second line below the text).
function rowLayout(rows, width) {
  const names = d3.max(rows, nameWidth) + 18;
  const texts = d3.max(rows, (row) => Math.max(valueWidth(row), textWidth(row.note || "", rowStyle.note))) + 8;
  const narrow = width < 620 || texts > width * 0.46;
  const left = narrow ? 12 : Math.min(names, width * 0.32);
  const value = narrow ? 0 : texts + 12;
  const notes = rows.some((row) => row.note);
  const height = narrow ? (row) => narrowHeight(row, width) : (row) => (notes ? 36 : row.name ? 26 : 22);
  return { narrow, left, right: width - value - (narrow ? 12 : 14), width, value, height, total: d3.sum(rows, height) };
}

function narrowHeight(row, width) {
  return (row.name ? 16 : 0) + (row.text || row.note ? 16 : 0) + (noteIsApart(row, width) ? 16 : 0) + 32;
}

// Whether the note has no room beside the value.
function noteIsApart(row, width) {
  return Boolean(row.note && row.text) && textWidth(row.note, rowStyle.note) + valueWidth(row) + 12 > width;
}

function nameWidth(row) {
  const marks = (row.marks || []).join(" ");
  return textWidth(row.name) + (marks ? textWidth(marks, rowStyle.mark) + 8 : 0);
}

function valueWidth(row) {
  return textWidth(row.text || "") + noisyWidth(row);
}

function noisyWidth(row) {
  return row.status === "NOISY" ? textWidth("NOISY", rowStyle.mark) + 8 : 0;
}

// Draws all rows from `top` on; draw(group, row, y) draws one row's marks around y.
function addRows(svg, rows, layout, top, draw) {
  let at = top;
  rows.forEach((row) => {
    const group = svg.append("g").attr("class", ["row", statusClass(row.status), row.side || ""].join(" ").trim());
    if (row.point !== undefined) group.attr("data-point", row.point);
    group.attr("transform", `translate(0,${at})`);
    const y = layout.narrow ? layout.height(row) - 21 : layout.height(row) / 2;
    if (isDrawn(row)) draw(group, row, y);
    else addWord(group, row.status || "not measured", layout.left, y);
    if (layout.narrow) labelAbove(group, row, layout);
    else labelBeside(group, row, layout, y);
    at += layout.height(row);
  });
}

function labelBeside(group, row, layout, y) {
  addName(group, row, layout.left - 14, y, "0.35em");
  const x = layout.width - layout.value + 8;
  const both = row.note && row.text;
  addValue(group, row, x, both ? y - 7 : y);
  if (row.note) addText(group, row.note, { x, y: both ? y + 9 : y, width: layout.value - 8, name: "note", style: rowStyle.note }).attr("dy", "0.35em");
}

// The name; below it the note left and the value right, or one above the other.
function labelAbove(group, row, layout) {
  if (row.name) addName(group, row, layout.width, 12, "0");
  const y = (row.name ? 16 : 0) + 8;
  const x = Math.max(0, layout.width - valueWidth(row));
  addValue(group, row, x, y);
  const apart = noteIsApart(row, layout.width);
  if (row.note) addText(group, row.note, { x: 0, y: apart ? y + 16 : y, width: apart ? layout.width : x - 8, name: "note", style: rowStyle.note }).attr("dy", "0.35em");
}

// The value as text, behind its status where that is NOISY.
function addValue(group, row, x, y) {
  const taken = noisyWidth(row);
  if (taken) group.append("text").attr("class", "status noisy").attr("x", x).attr("y", y).attr("dy", "0.35em").text("NOISY");
  if (row.text) addText(group, row.text, { x: x + taken, y, name: "value" }).attr("dy", "0.35em");
}

// The name, and behind it in bold what marks it: base, to use.
function addName(group, row, width, y, dy) {
  const marks = (row.marks || []).join(" ");
  const room = Math.max(20, width - (marks ? textWidth(marks, rowStyle.mark) + 8 : 0));
  addText(group, row.name, { x: 0, y, width: room, name: "name" }).attr("dy", dy);
  if (marks) group.append("text").attr("class", "marked").attr("x", textWidth(shortened(row.name, room)) + 6).attr("y", y).attr("dy", dy).text(marks);
}
