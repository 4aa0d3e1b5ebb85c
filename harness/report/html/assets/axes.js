// Axes and grid lines, the same in all charts: thin lines, labels that do not touch.

// Those ticks whose labels keep 10 px between them, counted from the first, and do not leave the chart: there are 12 px beyond
// the axis.
function withRoom(ticks, scale) {
  const right = d3.max(scale.range()) + 12;
  let end = -Infinity;
  return ticks.filter((tick) => {
    const half = textWidth(tick.text, "11px") / 2;
    const at = scale(tick.value);
    if (at - half < end + 10 || at + half > right) return false;
    end = at + half;
    return true;
  });
}

// An axis below a plot, its grid from `top` to `bottom`, and what it counts under its right end.
function bottomAxis(svg, scale, ticks, { top, bottom, title = "", strong = null, grid = true, rule = true }) {
  const axis = svg.append("g").attr("class", "axis");
  const shown = withRoom(ticks, scale);
  const [left, right] = d3.extent(scale.range());
  if (grid) addGrid(axis, shown, (tick) => ({ x1: scale(tick.value), x2: scale(tick.value), y1: top, y2: bottom }), strong);
  if (rule) axis.append("line").attr("class", "rule").attr("x1", left).attr("x2", right).attr("y1", bottom).attr("y2", bottom);
  shown.forEach((tick) => {
    axis.append("text").attr("class", "tick").attr("text-anchor", "middle").attr("x", scale(tick.value)).attr("y", bottom + 16).text(tick.text);
  });
  if (title) addText(axis, title, { x: right, y: bottom + 33, anchor: "end", name: "unit", width: right - left });
  return bottom + (title ? 40 : 24);
}

// An axis left of a plot, its grid across, and what it counts above it.
function leftAxis(svg, scale, ticks, { left, right, title = "", above = 12, strong = null }) {
  const axis = svg.append("g").attr("class", "axis");
  addGrid(axis, ticks, (tick) => ({ x1: left, x2: right, y1: scale(tick.value), y2: scale(tick.value) }), strong);
  ticks.forEach((tick) => {
    axis.append("text").attr("class", "tick").attr("text-anchor", "end").attr("x", left - 8).attr("y", scale(tick.value)).attr("dy", "0.35em").text(tick.text);
  });
  if (title) addText(axis, title, { x: Math.max(0, left - 8 - widest([title, ...ticks.map((t) => t.text)], "11px")), y: d3.min(scale.range()) - above, name: "unit", width: right });
}

function addGrid(axis, ticks, ends, strong) {
  ticks.forEach((tick) => {
    const line = axis.append("line").attr("class", tick.value === strong ? "rule" : "grid");
    Object.entries(ends(tick)).forEach(([name, value]) => line.attr(name, value));
  });
}

// Room for the labels of a left axis.
function leftRoom(ticks) {
  return Math.ceil(widest(ticks.map((tick) => tick.text), "11px")) + 12;
}

// As many ticks as labels of about 70 px fit.
function tickCount(width) {
  return Math.max(2, Math.min(8, Math.floor(width / 70)));
}
