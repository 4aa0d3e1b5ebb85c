// What each side costs per step, with intervals; and what a step gets back without a component.

const costSides = { loader: "loader", trainer: "trainer", contention: "contention" };

charts.costs = (svg, data, width) => {
  const rows = data.rows.map((row, i) => {
    const first = i === 0 || data.rows[i - 1].point !== row.point;
    return { status: statusOf(row.point), ...row, name: first ? row.name : "", marks: first ? marksOf(row.point) : [], text: `${row.side}  ${row.text}` };
  });
  const sides = Object.keys(costSides).filter((side) => rows.some((row) => row.side === side && isDrawn(row)));
  return addBars(svg, rows, width, sides.map((side) => ({ shape: "bar", name: side, text: side + " costs" })), "ms per step");
};

charts.substitution = (svg, data, width) => {
  const rows = data.rows.map((row) => ({ status: "VALID", ...row, name: row.component, side: "recovered", note: row.severity === "none" ? "" : row.severity }));
  return addBars(svg, rows, width, [{ shape: "bar", name: "recovered", text: "recovered without it" }], "ms per step");
};

// Bars from zero with intervals.
function addBars(svg, rows, width, legend, title) {
  const layout = rowLayout(rows, width);
  const x = fromZero(finite(rows.filter(isDrawn).map((row) => [row.value, row.low, row.high])), [layout.left, layout.right]);
  const hasInterval = rows.some((row) => isDrawn(row) && Number.isFinite(row.low));
  const keys = [...legend, ...(hasInterval ? [{ shape: "whisker", text: "95 % interval" }] : []), ...noisyKey(rows, "bar")];
  const top = addLegend(svg, keys, 0, 0, width);
  const bottom = top + layout.total + 6;
  const low = bottomAxis(svg, x, ticksOf(x, tickCount(layout.right - layout.left)), { top, bottom, strong: 0, title });
  addRows(svg, rows, layout, top, (group, row, y) => {
    addTitle(asMark(addRect(group, "bar", x(0), x(row.value), y - 7, 14), "bar"), row.text);
    addWhisker(group, x, row, y);
  });
  return low;
}

function statusOf(index) {
  const point = points.get(index);
  return point ? point.status : "VALID";
}
