// Each step's time or wait over the window, a panel for each point on the same scales.

charts.series = (svg, data, width) => {
  const lines = data.lines.map((line, i) => ({ ...line, name: seriesName(line), class: "series-" + i }));
  const values = lines.map((line) => line.values.map((value) => value[1]));
  const y = fromZero(finite(values), [90, 0]);
  const ticks = ticksOf(y, 3);
  const left = Math.max(leftRoom(ticks), textWidth(data.unit, "11px") + 16);
  const x = d3.scaleLinear().domain(widened(d3.extent(finite(lines.map((line) => line.values.map((value) => value[0])))))).range([left, width - 12]);
  lines.forEach((line, i) => addPanel(svg, line, x, y, ticks, { left, top: 30 + i * 136, unit: i === 0 ? data.unit : "", width }));
  const bottom = 30 + (lines.length - 1) * 136 + 90;
  return bottomAxis(svg, x, wholeTicks(x, width - left), { top: bottom, bottom, title: data.what === "wait" ? "step (its wait)" : "step", grid: false });
};

function addPanel(svg, line, x, y, ticks, { left, top, unit, width }) {
  const panel = svg.append("g").attr("class", "panel " + line.class).attr("data-point", line.point).attr("transform", `translate(0,${top})`);
  leftAxis(panel, y, ticks, { left, right: width - 12, title: unit, strong: 0 });
  addText(panel, line.name, { x: left, y: -12, width: width - left - 12, name: "name", style: "600 12px" });
  const path = d3.line().x((value) => x(value[0])).y((value) => y(value[1]));
  addTitle(asMark(panel.append("path"), "line").attr("class", "line thin").attr("d", path(line.values)), line.name);
}
