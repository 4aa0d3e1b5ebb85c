// The axis of a distribution of times, and the shares of steps in its cells.

const shortest = 0.001;   // ms: what is shorter has a place of its own left of a logarithmic axis, as 0 has no logarithm
const underWidth = 34;

// {x, log, under, at}: at(ms) is a time's place in pixels. `under`: whether some times are shorter than the axis.
function timeAxis(data, lines, left, right) {
  const edges = finite(lines.map((line) => [line.bins.map((bin) => [bin[0], bin[1]]), line.stalls || []]));
  const high = d3.max(edges) || 1;
  const log = data.log && high > shortest;
  const under = log && lines.some((line) => line.bins.some((bin) => bin[0] < shortest));
  const least = log ? d3.min(edges.filter((edge) => edge >= shortest)) : Math.min(0, d3.min(edges) || 0);
  const domain = log ? spread(least, high) : [least, high];
  const x = (log ? d3.scaleLog() : d3.scaleLinear()).domain(domain).range([under ? left + underWidth : left, right]).clamp(true);
  return { x, log, under, left, at: (ms) => (under && ms < shortest ? left + underWidth / 2 - 4 : x(ms)) };
}

// A logarithmic domain wide enough that equal times are a peak and not a wall.
function spread(low, high) {
  const room = Math.max(0, Math.log(1.4) - Math.log(high / low)) / 2;
  return [Math.exp(Math.log(low) - room), Math.exp(Math.log(high) + room)];
}

// Bins that are drawn as they are, or the width of cells to add them up in where they are narrower than can be seen.
function cellWidth(axis, lines) {
  const wide = lines.flatMap((line) => line.bins).filter((bin) => bin[0] >= shortest).map((bin) => axis.x(bin[1]) - axis.x(bin[0]));
  return (d3.max(wide) || 0) < 7 ? 8 : null;
}

// [{from, to, share}] of one line in pixels, from left to right.
function cellsOf(axis, line, width) {
  const total = d3.sum(line.bins, (bin) => bin[2]) || 1;
  const isUnder = (bin) => axis.under && bin[0] < shortest;
  const bins = line.bins.filter((bin) => !isUnder(bin)).map(([from, to, count]) => ({ from: axis.x(from), to: axis.x(to), share: count / total }));
  const below = { from: axis.left, to: axis.left + underWidth - 8, share: d3.sum(line.bins.filter(isUnder), (bin) => bin[2]) / total };
  return [...(axis.under ? [below] : []), ...(width ? added(axis, bins, width) : bins)];
}

// Cells of equal width; a bin counts in each by its part in it.
function added(axis, bins, width) {
  const [start, end] = axis.x.range();
  const cells = d3.range(Math.max(1, Math.ceil((end - start) / width))).map((i) => ({ from: start + i * width, to: Math.min(end, start + (i + 1) * width), share: 0 }));
  bins.forEach((bin) => addShares(cells, start, width, bin));
  return cells;
}

function addShares(cells, start, width, { from, to, share }) {
  const first = Math.min(cells.length - 1, Math.floor((from - start) / width));
  const last = Math.min(cells.length - 1, Math.max(first, Math.ceil((to - start) / width) - 1));
  for (let i = first; i <= last; ++i) {
    const covered = Math.min(to, start + (i + 1) * width) - Math.max(from, start + i * width);
    cells[i].share += first === last ? share : share * (covered / (to - from));
  }
}
