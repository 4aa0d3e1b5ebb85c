// How long steps or waits took: a histogram line of each point, its median and 99th percentile, and its stalls.

charts.distribution = (svg, data, width) => {
  const lines = data.lines.map((line, i) => ({ ...line, name: seriesName(line), class: "series-" + i }));
  const [left, right] = [52, width - 14];
  const axis = timeAxis(data, lines, left, right);
  const cells = lines.map((line) => cellsOf(axis, line, cellWidth(axis, lines)));
  const top = addLegend(svg, distributionKeys(lines, width), 0, 0, width) + lines.length * 16 + 28;
  const bottom = top + 180;
  const y = fromZero(finite(cells.map((some) => some.map((cell) => cell.share))), [bottom, top]);
  const ticks = ticksOf(y, 4).map(({ value }) => ({ value, text: percentTick(value) }));
  leftAxis(svg, y, ticks, { left, right, title: `of all ${data.what}s`, strong: 0 });
  const feet = bottom + (lines.some((line) => (line.stalls || []).length) ? 4 + lines.length * 9 : 0);
  const low = bottomAxis(svg, axis.x, ticksOf(axis.x, tickCount(width - left)), { top, bottom: feet, title: data.unit, grid: false, rule: false });
  if (axis.under) svg.append("text").attr("class", "tick").attr("text-anchor", "middle").attr("x", axis.at(0)).attr("y", feet + 16).text("<" + shortest);
  const marks = svg.append("g");
  const labels = svg.append("g");
  lines.forEach((line, i) => addDistribution(marks, line, cells[i], axis, y, { row: i, top, bottom, right, labels }));
  return low;
};

const percentTick = (value) => plainTick(Number((value * 100).toPrecision(6))) + " %";

function addDistribution(svg, line, cells, axis, y, place) {
  const group = svg.append("g").attr("class", "distribution " + line.class).attr("data-point", line.point);
  addTitle(asMark(group.append("path"), "line").attr("class", "outline").attr("d", outlineOf(cells, y)), line.name);
  const quantiles = [[line.p50, "p50 " + line.p50_text], [line.p99, "p99 " + line.p99_text]].filter(([value]) => Number.isFinite(value));
  quantiles.forEach(([value]) => addQuantile(group, axis.at(value), place));
  let end = null;
  quantiles.forEach(([value, text]) => (end = labelQuantile(place.labels, line, axis.at(value), text, place, end)));
  addStalls(group, line, axis, place);
}

// Steps around what has a share; where there is none, no line: it would hide the axis.
function outlineOf(cells, y) {
  let path = "";
  let before = { to: null, share: 0 };
  cells.concat({ from: null, share: 0 }).forEach((cell) => {
    if (before.share > 0 && (cell.share === 0 || !touch(before, cell))) path += `V${y(0)}`;
    if (cell.share > 0) path += (before.share > 0 && touch(before, cell) ? "" : `M${cell.from},${y(0)}`) + `V${y(cell.share)}H${cell.to}`;
    before = cell;
  });
  return path;
}

function touch(left, right) {
  return right.from !== null && Math.abs(right.from - left.to) < 0.01;
}

function addQuantile(group, at, place) {
  group.append("line").attr("class", "quantile").attr("x1", at).attr("x2", at).attr("y1", labelHeight(place) - 9).attr("y2", place.bottom);
}

function labelHeight(place) {
  return place.top - 24 - place.row * 16;
}

// The label stands in the point's own row above the plot: that of p50 ends at its line, that of p99 begins at its line, as
// far as there is room. Returns its right end.
function labelQuantile(labels, line, at, text, place, before) {
  const wide = textWidth(text, "11px");
  const first = before === null;
  const x = Math.max(first ? 0 : before + 10, Math.min(first ? at - wide - 4 : at + 4, place.right - wide));
  labels.append("text").attr("class", "quantile " + line.class).attr("x", x).attr("y", labelHeight(place)).text(text);
  return x + wide;
}

// One tick below the plot for each stall.
function addStalls(group, line, axis, place) {
  const y = place.bottom + 3 + place.row * 9;
  (line.stalls || []).forEach((stall) => asMark(group.append("path"), "stall").attr("class", "stall").attr("d", `M${axis.at(stall)},${y}v8`));
}

function distributionKeys(lines, width) {
  const keys = lines.map((line) => ({ shape: "line", mark: "outline", name: line.class, text: line.name }));
  const stalls = lines.filter((line) => line.stall_text);
  return keys.concat(stalls.map((line) => ({ shape: "stall", name: line.class, text: `${shortened(line.name, Math.min(260, width / 3))}: ${line.stall_text}` })));
}

// "num_workers=4 (to use)": the point, with what marks it.
function seriesName(line) {
  const marks = marksOf(line.point);
  return line.name + (marks.length ? ` (${marks.join(", ")})` : "");
}
