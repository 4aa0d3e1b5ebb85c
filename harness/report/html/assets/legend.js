// A line of keys above a plot: the mark and its word, in as many lines as they need.

// Items: {shape, name, text}; shape is one of those in `keys`, name the class that colours it. Returns the height.
function addLegend(svg, items, x, y, width) {
  const legend = svg.append("g").attr("class", "legend");
  let [left, top] = [x, y];
  items.forEach((item) => {
    const wide = Math.min(textWidth(item.text), width - 24) + 24;
    if (left > x && left + wide > x + width) [left, top] = [x, top + 20];
    const key = legend.append("g").attr("class", "key " + (item.name || "")).attr("transform", `translate(${left},${top + 10})`);
    keys[item.shape](key, item);
    addText(key, item.text, { x: 24, width: width - 24 }).attr("dy", "0.35em");
    left += wide + 16;
  });
  return items.length ? top - y + 30 : 0;
}

const keys = {
  bar: (key, item) => addRect(key, item.mark || "bar", 0, 18, -5, 10),
  band: (key) => addRect(key, "band", 0, 18, -6, 12),
  round: (key) => key.append("circle").attr("class", "round").attr("cx", 9).attr("r", 2.5),
  line: (key, item) => key.append("path").attr("class", item.mark || "line").attr("d", "M0,0H18"),
  stall: (key) => key.append("path").attr("class", "stall").attr("d", "M9,-5V5"),
  dot: (key, item) => {
    key.append("path").attr("class", "whisker").attr("d", "M0,-4v8M0,0H18M18,-4v8");
    addSymbol(key, "dot", item.symbol || "circle", 9, 0, 50);
  },
  symbol: (key, item) => addSymbol(key, "dot", item.symbol || "circle", 9, 0, 50),
  whisker: (key) => key.append("path").attr("class", "whisker").attr("d", "M0,-4v8M0,0H18M18,-4v8"),
};

// A cross with the statuses that have no value.
function absentKey(rows) {
  const words = Array.from(new Set(rows.filter((row) => !isDrawn(row)).map((row) => row.status || "not measured"))).sort();
  return words.length ? [{ shape: "symbol", symbol: "cross", name: "absent", text: words.join(", ") }] : [];
}

// A key for statuses that occur, so that a hatched mark is explained where it is seen.
function noisyKey(rows, shape, more = {}) {
  return rows.some((row) => row.status === "NOISY") ? [{ shape, name: "noisy", text: "NOISY", ...more }] : [];
}
