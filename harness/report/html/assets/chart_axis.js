// Response to a swept setting: rates of the loader alone, the trainer alone and both together, from zero.

const modes = {
  loader: { name: "loader", text: "loader alone", symbol: "circle" },
  trainer: { name: "trainer", text: "trainer alone", symbol: "square" },
  pipeline: { name: "pipeline", text: "together", symbol: "diamond" },
};

charts.axis = (svg, data, width) => {
  const all = data.lines.flatMap((line) => line.values);
  const top = addLegend(svg, axisKeys(data.lines, all), 0, 0, width) + 46;
  const bottom = top + 220;
  const y = fromZero(finite(all.filter(isDrawn).map((v) => [v.value, v.low, v.high])), [bottom, top]);
  const ticks = ticksOf(y, 5);
  const left = leftRoom(ticks);
  const x = settingScale(data, all, [left + 24, width - 24]);
  leftAxis(svg, y, ticks, { left, right: width, title: data.unit, above: 34, strong: 0 });
  const low = settingAxis(svg, data, x, settingTicks(all), { top, bottom });
  markSettings(svg, data, all, x, top, bottom);
  data.lines.forEach((line) => addResponse(svg, line, x, y, bottom));
  return low;
};

function settingScale(data, all, range) {
  const domain = widened(d3.extent(all, (v) => v.x));
  const log = data.numeric && data.log && domain[0] > 0;
  return (log ? d3.scaleLog() : d3.scaleLinear()).domain(domain).range(range);
}

// One tick for each value that was measured, with its label.
function settingTicks(all) {
  const labels = new Map(all.map((v) => [v.x, String(v.label)]));
  return Array.from(labels, ([value, text]) => ({ value, text })).sort((a, b) => a.value - b.value);
}

// Where words have no room beside each other they stand on a slant; what would touch is left out.
function settingAxis(svg, data, x, ticks, { top, bottom }) {
  const [left, right] = x.range();
  const slot = (right - left) / Math.max(1, ticks.length - 1);
  if (data.numeric || widest(ticks.map((tick) => tick.text), "11px") + 10 <= slot) return bottomAxis(svg, x, ticks, { top, bottom, title: data.axis, grid: false, rule: false });
  const axis = svg.append("g").attr("class", "axis");
  const every = Math.ceil(14 / slot);
  ticks.filter((_, i) => i % every === 0).forEach((tick) => {
    const at = `translate(${x(tick.value) + 4},${bottom + 14}) rotate(-45)`;
    addText(axis, tick.text, { width: 84, anchor: "end", name: "tick", style: "11px" }).attr("transform", at);
  });
  addText(axis, data.axis, { x: right, y: bottom + 88, anchor: "end", name: "unit", width: right, style: "11px" });
  return bottom + 96;
}

// Lines at the base and at the setting to use, with their words on top, the second higher where they would touch.
function markSettings(svg, data, all, x, top, bottom) {
  const base = all.find((v) => String(v.label) === String(data.base));
  const use = all.find((v) => (points.get(v.point) || {}).use);
  const same = base && use && base.x === use.x;
  const marks = [base && { at: x(base.x), text: same ? "base, to use" : "base" }, use && !same && { at: x(use.x), text: "to use" }].filter(Boolean);
  const touch = marks.length === 2 && Math.abs(marks[0].at - marks[1].at) < 48;
  marks.forEach(({ at, text }, i) => {
    const y = top - 8 - (touch && i === 1 ? 14 : 0);
    svg.append("line").attr("class", "setting").attr("x1", at).attr("x2", at).attr("y1", y + 4).attr("y2", bottom);
    svg.append("text").attr("class", "marked").attr("text-anchor", "middle").attr("x", Math.max(at, textWidth(text, "600 11px") / 2)).attr("y", y).text(text);
  });
}

function addResponse(svg, line, x, y, bottom) {
  const mode = modes[line.mode];
  const group = svg.append("g").attr("class", "response " + mode.name);
  const path = d3.line().defined(isDrawn).x((v) => x(v.x)).y((v) => y(v.value));
  group.append("path").attr("class", "line").attr("d", path(line.values));
  line.values.forEach((value) => {
    const mark = group.append("g").attr("class", statusClass(value.status)).attr("data-point", value.point);
    if (!isDrawn(value)) return addTitle(asMark(addSymbol(mark, "dot absent", "cross", x(value.x), bottom - 7, 50), "word"), `${value.label}: ${value.status || "not measured"}`);
    addStandingWhisker(mark, x(value.x), y, value);
    addTitle(asMark(addSymbol(mark, "dot", mode.symbol, x(value.x), y(value.value), 64), "value"), `${mode.text}, ${value.label}: ${value.text}`);
  });
}

function axisKeys(lines, all) {
  return [...lines.map((line) => ({ shape: "dot", ...modes[line.mode] })), ...noisyKey(all, "symbol"), ...absentKey(all)];
}
