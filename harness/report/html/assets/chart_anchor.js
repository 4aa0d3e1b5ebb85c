// The base point again and again: does the machine drift? Order of trials across, ratio to the median up.

charts.anchor = (svg, data, width) => {
  const rows = data.rows.map((row) => ({ ...row, value: row.ratio }));
  const drawn = rows.filter((row) => row.ratio > 0);
  const top = addLegend(svg, anchorKeys(rows), 0, 0, width) + 24;
  const bottom = top + 150;
  const y = ratioScale(drawn.map((row) => row.ratio), [bottom, top]);
  const ticks = shareTicks(y);
  const left = leftRoom(ticks);
  const x = d3.scaleLinear().domain(widened(d3.extent(rows, (row) => row.order))).range([left + 12, width - 16]);
  leftAxis(svg, y, ticks, { left, right: width - 6, title: "of the median", strong: 1 });
  const low = bottomAxis(svg, x, wholeTicks(x, width), { top, bottom, title: "trial, in the order they ran", grid: false });
  svg.append("path").attr("class", "line quiet").attr("d", d3.line().x((row) => x(row.order)).y((row) => y(row.ratio))(drawn));
  drawn.forEach((row) => {
    const mark = svg.append("g").attr("class", isDrawn(row) ? statusClass(row.status) : "absent");
    addTitle(asMark(addSymbol(mark, "dot", isDrawn(row) ? "circle" : "cross", x(row.order), y(row.ratio), 60), "run"), row.text);
  });
  return low;
};

function shareTicks(scale) {
  const ticks = ratioTicks(scale, 5);
  const format = d3.format("." + Math.max(0, decimals(ticks) - 2) + "f");
  return ticks.map((value) => ({ value, text: format(value * 100) + " %" }));
}

// Whole numbers only: there is no trial 2.5.
function wholeTicks(scale, width) {
  return scale.ticks(tickCount(width)).filter(Number.isInteger).map((value) => ({ value, text: plainTick(value) }));
}

// A domain of one value has no width: half a step each way.
function widened([low, high]) {
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

function anchorKeys(rows) {
  return [...noisyKey(rows, "symbol"), ...absentKey(rows)];
}
