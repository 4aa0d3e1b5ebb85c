// Ratio of each point to the base: the interval, its single rounds, and the noise floor as a band.

const shownAs = {
  faster: { symbol: "triangle-right", name: "faster" },
  slower: { symbol: "triangle-left", name: "slower" },
};

charts.ratio = (svg, data, width) => {
  const rows = data.rows.map((row) => ({ ...row, marks: marksOf(row.point), note: row.shown }));
  const layout = rowLayout(rows, width);
  const x = ratioScale(ratioValues(rows, data.floor), [layout.left, layout.right]);
  const top = addLegend(svg, ratioKeys(rows, data.floor), 0, 0, width);
  const bottom = top + layout.total + 6;
  if (data.floor > 0) addRect(svg, "band", x(1 - data.floor), x(1 + data.floor), top, bottom - top);
  const low = bottomAxis(svg, x, timesTicks(x, tickCount(layout.right - layout.left)), { top, bottom, strong: 1, title: "times the rate of the base" });
  addRows(svg, rows, layout, top, (group, row, y) => addRatio(group, x, row, y, shownAs[row.shown] || { name: "same", symbol: "circle" }));
  return low;
};

function ratioValues(rows, floor) {
  const drawn = rows.filter(isDrawn);
  return finite([drawn.map((row) => [row.value, row.low, row.high, (row.rounds || []).map((round) => round[1])]), floor > 0 ? [1 - floor, 1 + floor] : []]);
}

// Interval above, rounds below: they would hide each other. What lies left of a logarithmic axis is drawn at its end.
function addRatio(group, x, row, y, { symbol, name }) {
  const [least] = x.domain();
  const [value, low, high] = [row.value, row.low, row.high].map((ratio) => (Number.isFinite(ratio) ? Math.max(least, ratio) : ratio));
  addRounds(group, x, row.rounds, y + 8);
  const mark = group.append("g").attr("class", name);
  addWhisker(mark, x, { low, high }, y - 3);
  addTitle(asMark(addSymbol(mark, "dot", symbol, x(value), y - 3, 80), "value"), row.text);
}

function roundKey(rows) {
  return rows.some((row) => isDrawn(row) && (row.rounds || []).length) ? [{ shape: "round", text: "one round" }] : [];
}

function ratioKeys(rows, floor) {
  const has = (name) => rows.some((row) => isDrawn(row) && row.shown === name);
  const other = rows.some((row) => isDrawn(row) && !shownAs[row.shown]);
  return [
    ...(has("faster") ? [{ shape: "dot", symbol: "triangle-right", name: "faster", text: "faster" }] : []),
    ...(has("slower") ? [{ shape: "dot", symbol: "triangle-left", name: "slower", text: "slower" }] : []),
    ...(other ? [{ shape: "dot", name: "same", text: "no difference shown" }] : []),
    ...roundKey(rows),
    ...(floor > 0 ? [{ shape: "band", text: "noise floor" }] : []),
  ];
}
