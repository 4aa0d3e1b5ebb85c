// What the probes read over a trial's window: CPU by role, memory, disk.

const roles = ["loader", "trainer"];

charts.probes = (svg, data, width) => {
  const lines = data.lines.map((line, i) => ({ ...line, class: roles.includes(line.label) ? line.label : "series-" + (i % 4) }));
  const top = addLegend(svg, lines.map((line) => ({ shape: "line", name: line.class, text: line.label })), 0, 0, width) + 24;
  const bottom = top + 120;
  const y = fromZero(finite(lines.map((line) => line.values.map((value) => value[1]))), [bottom, top]);
  const ticks = ticksOf(y, 4);
  const left = leftRoom(ticks);
  const seconds = finite(lines.map((line) => line.values.map((value) => value[0])));
  const x = d3.scaleLinear().domain([Math.min(0, d3.min(seconds) || 0), d3.max(seconds) || 1]).range([left, width - 12]);
  leftAxis(svg, y, ticks, { left, right: width - 12, title: data.unit, strong: 0 });
  const low = bottomAxis(svg, x, ticksOf(x, tickCount(width - left)), { top, bottom, title: "s since the window's begin", grid: false });
  lines.forEach((line) => addProbe(svg, line, x, y));
  return low;
};

// A line, or a dot where there is only one reading.
function addProbe(svg, line, x, y) {
  const group = svg.append("g").attr("class", "probe " + line.class);
  const path = d3.line().x((value) => x(value[0])).y((value) => y(value[1]));
  addTitle(asMark(group.append("path"), "line").attr("class", "line").attr("d", path(line.values)), line.label);
  if (line.values.length === 1) addSymbol(group, "dot", "circle", x(line.values[0][0]), y(line.values[0][1]), 40);
}
