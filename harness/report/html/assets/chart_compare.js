// Comparison: ratio of B to A, with its single rounds; what SAME could have missed as a band.

charts.compare = (svg, data, width) => {
  const rows = data.rows.map((row) => ({ ...row, status: row.judgement === "INVALID" ? "INVALID" : "VALID", note: row.stage, text: judged(row) }));
  const layout = rowLayout(rows, width);
  const x = ratioScale(finite([ratioValues(rows), rows.filter(isDrawn).map(bandOf)]), [layout.left, layout.right]);
  const top = addLegend(svg, compareKeys(rows), 0, 0, width);
  const bottom = top + layout.total + 6;
  const low = bottomAxis(svg, x, changeTicks(x, tickCount(layout.right - layout.left)), { top, bottom, strong: 1, title: "change of B against A" });
  addRows(svg, rows, layout, top, (group, row, y) => {
    if (row.detectable > 0) addRect(group, "band", ...bandOf(row).map(x), y - 13, 26);
    addRatio(group, x, row, y, changeOf(row));
  });
  return low;
};

function judged(row) {
  return row.judgement === "INVALID" ? row.text : [row.judgement, row.text].filter(Boolean).join(" ");
}

function bandOf(row) {
  return row.detectable > 0 ? [Math.max(0.001, 1 - row.detectable), 1 + row.detectable] : [];
}

// Triangles point to where the value went: a longer wait is SLOWER and more.
function changeOf(row) {
  const name = { FASTER: "faster", SLOWER: "slower" }[row.judgement];
  return name ? { name, symbol: row.value < 1 ? "triangle-left" : "triangle-right" } : { name: "same", symbol: "circle" };
}

function compareKeys(rows) {
  const drawn = rows.filter(isDrawn);
  const key = (text, ...words) => drawn.filter((row) => words.includes(row.judgement)).slice(0, 1).map((row) => ({ shape: "dot", text, ...changeOf(row) }));
  return [
    ...key("FASTER", "FASTER"),
    ...key("SLOWER", "SLOWER"),
    ...key("SAME or UNSURE", "SAME", "UNSURE"),
    ...roundKey(rows),
    ...(drawn.some((row) => row.detectable > 0) ? [{ shape: "band", text: "detectable change" }] : []),
  ];
}
