// The data of the charts, as the program wrote them. Every figure that is shown as text comes as text.
const pictures = JSON.parse(document.getElementById("pictures").textContent);
const points = new Map((pictures.points || []).map((point) => [point.index, point]));

// The chart's part of the data, or nothing where the page has a figure without data.
function dataOf(figure) {
  const { chart, index, sub } = figure.dataset;
  const data = pictures[chart === "axis" ? "axes" : chart];
  if (!Array.isArray(data)) return data;
  const entry = data[Number(index || 0)];
  if (chart !== "probes" || !entry) return entry;
  return { ...entry.charts[Number(sub || 0)], name: entry.name, point: entry.point };
}

// Whether a value may be drawn as one: INVALID, SKIPPED and FAILED are told by their word.
function isDrawn(row) {
  return Number.isFinite(row.value) && !isWord(row.status);
}

function isWord(status) {
  return Boolean(status) && status !== "VALID" && status !== "NOISY";
}

// "NOISY" -> "noisy": the class of marks of this status.
function statusClass(status) {
  return (status || "valid").toLowerCase().replace(/[^a-z]+/g, "-");
}

// The words that mark a point in each chart: "base" and "use".
function marksOf(index) {
  const point = points.get(index);
  if (!point) return [];
  const marks = [];
  if (point.base && !/\bbase\)?$/.test(point.name)) marks.push("base");
  if (point.use) marks.push("to use");
  return marks;
}

// All finite numbers of a nested list: what a scale has to span.
function finite(values) {
  return values.flat(Infinity).filter(Number.isFinite);
}
