// The marks that charts are made of. Each is one element with one class: dot, whisker, bar, round, band, word. What stands for a
// datum has data-mark (value, round, run, part, bar, line, stall, word), so that marks can be counted; keys of legends have none.

const symbols = {
  circle: d3.symbolCircle,
  square: d3.symbolSquare,
  diamond: d3.symbolDiamond,
  cross: d3.symbolCross,
};

function addTitle(node, text) {
  if (text) node.append("title").text(text);
  return node;
}

function asMark(node, kind) {
  return node.attr("data-mark", kind);
}

function addRect(group, name, x1, x2, y, height) {
  return group.append("rect").attr("class", name).attr("x", Math.min(x1, x2)).attr("y", y).attr("width", Math.abs(x2 - x1)).attr("height", height);
}

// A symbol: "triangle-right" and "triangle-left" point to where the value lies.
function addSymbol(group, name, shape, x, y, size = 60) {
  const path = shape.startsWith("triangle") ? triangle(shape === "triangle-right" ? 1 : -1, Math.sqrt(size) * 0.65) : d3.symbol().type(symbols[shape]).size(size)();
  return group.append("path").attr("class", name).attr("d", path).attr("transform", `translate(${x},${y})` + (shape === "cross" ? " rotate(45)" : ""));
}

function triangle(way, r) {
  return `M${-way * r},${-r}L${way * r},0L${-way * r},${r}Z`;
}

// An interval with its ends, horizontal.
function addWhisker(group, scale, row, y, cap = 4) {
  if (!Number.isFinite(row.low) || !Number.isFinite(row.high)) return;
  const [a, b] = [scale(row.low), scale(row.high)];
  group.append("path").attr("class", "whisker").attr("d", `M${a},${y - cap}v${2 * cap}M${a},${y}H${b}M${b},${y - cap}v${2 * cap}`);
}

// The same, vertical.
function addStandingWhisker(group, x, scale, row, cap = 4) {
  if (!Number.isFinite(row.low) || !Number.isFinite(row.high)) return;
  const [a, b] = [scale(row.low), scale(row.high)];
  group.append("path").attr("class", "whisker").attr("d", `M${x - cap},${a}h${2 * cap}M${x},${a}V${b}M${x - cap},${b}h${2 * cap}`);
}

// The single rounds of a value, in a strip.
function addRounds(group, scale, rounds, y) {
  (rounds || []).filter(([, value]) => value >= scale.domain()[0]).forEach(([round, value]) => {
    addTitle(asMark(group.append("circle"), "round").attr("class", "round").attr("cx", scale(value)).attr("cy", y).attr("r", 2.5), "round " + round);
  });
}

// A status in place of a mark: the word in an outline.
function addWord(group, word, x, y) {
  const width = textWidth(word, "600 11px") + 12;
  const box = asMark(group.append("g"), "word").attr("class", "word " + statusClass(word));
  box.append("rect").attr("x", x).attr("y", y - 9).attr("width", width).attr("height", 18).attr("rx", 2);
  box.append("text").attr("x", x + 6).attr("y", y).attr("dy", "0.35em").text(word);
}
