// What one step consists of at each point, as a stacked bar; a part below zero is drawn left of zero.

charts.step = (svg, data, width) => {
  const rows = data.rows.map((row) => ({ ...row, value: row.step_ms, marks: marksOf(row.point) }));
  const layout = rowLayout(rows, width);
  const drawn = rows.filter(isDrawn);
  const x = fromZero(finite(drawn.map((row) => stacked(row).map((part) => [part.from, part.to]))), [layout.left, layout.right], 0.02);
  const top = addLegend(svg, stepKeys(data.names), 0, 0, width);
  const bottom = top + layout.total + 6;
  const low = bottomAxis(svg, x, ticksOf(x, tickCount(layout.right - layout.left)), { top, bottom, strong: 0, title: "ms per step" });
  addRows(svg, rows, layout, top, (group, row, y) => stacked(row).forEach((part) => addPart(group, x, part, y, partClass(part.name, data.names))));
  return low;
};

// Parts from zero on, in their order; negative ones leftwards.
function stacked(row) {
  let [plus, minus] = [0, 0];
  return (row.parts || []).filter((part) => Number.isFinite(part.ms)).map((part) => {
    const from = part.ms < 0 ? minus : plus;
    const to = from + part.ms;
    if (part.ms < 0) minus = to;
    else plus = to;
    return { ...part, from, to };
  });
}

function addPart(group, x, part, y, name) {
  if (part.from === part.to) return;
  const [left, right] = [x(Math.min(part.from, part.to)), x(Math.max(part.from, part.to))];
  const gap = right - left > 3 ? 1 : 0;
  addTitle(asMark(addRect(group, "part " + name, left, right - gap, y - 9, 18), "part"), `${part.name}: ${part.text}`);
  if (textWidth(part.name, "11px") + 10 > right - left || name.includes("striped")) return;
  group.append("text").attr("class", "within " + name).attr("x", left + 5).attr("y", y).attr("dy", "0.35em").text(part.name);
}

// The wait has the loader's colour and the remainder is grey; the others take colours in their order, after five with stripes.
function partClass(name, names) {
  if (name === "other") return "part-other";
  if (name === "wait" || name === "get_blocked" || name === "idle_for_data") return "part-wait";
  const place = names.filter((n) => !["other", "wait", "get_blocked", "idle_for_data"].includes(n)).indexOf(name);
  return `part-${place % 5}` + (place >= 5 ? " striped" : "");
}

function stepKeys(names) {
  return names.map((name) => ({ shape: "bar", mark: "part " + partClass(name, names), text: name }));
}
