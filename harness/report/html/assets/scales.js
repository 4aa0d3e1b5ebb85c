// Scales, their ticks, and the axes that are drawn from them.

// A linear scale that holds zero and all values.
function fromZero(values, range, pad = 0.04) {
  const low = Math.min(0, d3.min(values) || 0);
  const high = Math.max(0, d3.max(values) || 0);
  const room = (high - low) * pad || 1;
  return d3.scaleLinear().domain([low < 0 ? low - room : 0, high > 0 ? high + room : low < 0 ? 0 : 1]).range(range);
}

// A logarithmic scale around 1, so that 2x and 0.5x are equally far from it.
function ratioScale(values, range, least = 0.02) {
  const logs = values.filter((value) => value > 0.001).map(Math.log);
  const low = Math.min(-least, d3.min(logs) || 0);
  const high = Math.max(least, d3.max(logs) || 0);
  const room = (high - low) * 0.05;
  return d3.scaleLog().domain([Math.exp(low - room), Math.exp(high + room)]).range(range);
}

// Round ratios: powers of two over a wide span, even steps over a narrow one. At least one, which is 1.
function ratioTicks(scale, count) {
  const [low, high] = scale.domain();
  const octaves = Math.log2(high / low);
  if (octaves < 1.6) return d3.ticks(low, high, count).filter((tick) => tick > 0);
  if (octaves * 2 <= count) return withHalves(low, high);
  const step = Math.ceil(octaves / count);
  const first = Math.ceil(Math.log2(low) / step);
  return d3.range(first, Math.floor(Math.log2(high) / step) + 1).map((i) => 2 ** (i * step));
}

// Powers of two and what lies between them: 0.5, 0.75, 1, 1.5, 2, 3.
function withHalves(low, high) {
  const octaves = d3.range(Math.floor(Math.log2(low)) - 1, Math.ceil(Math.log2(high)) + 1);
  return octaves.flatMap((k) => [2 ** k, 2 ** k * 1.5]).filter((tick) => tick >= low && tick <= high);
}

// 1, 2 and 5 in each decade, or fewer where there are many decades. Two at least, where the domain has them.
function logTicks(scale, count) {
  const [low, high] = scale.domain();
  const decades = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  const among = (steps) =>
    decades.flatMap((k) => steps.map((s) => (k < 0 ? s / 10 ** -k : s * 10 ** k))).filter((t) => t >= low && t <= high);
  if (among([1, 2, 5]).length < 3) return d3.ticks(low, high, count);
  const choices = [among([1, 2, 5]), among([1, 3]), among([1])];
  const every = (ticks, n) => ticks.filter((_, i) => i % n === 0);
  return choices.find((ticks) => ticks.length <= count) || every(choices[2], Math.ceil(choices[2].length / count));
}

const plainTick = d3.format(",~r");
const smallTick = d3.format(".3~r");

// Ticks of a linear or logarithmic scale with the labels that D3 gives them.
function ticksOf(scale, count) {
  if (scale.base) return logTicks(scale, count).map((value) => ({ value, text: plainTick(value) }));
  const format = scale.tickFormat(count);
  return scale.ticks(count).map((value) => ({ value, text: format(value) }));
}

function timesTicks(scale, count) {
  const ticks = ratioTicks(scale, count);
  const format = d3.format(",." + Math.max(3, decimals(ticks)) + "~f");
  return ticks.map((value) => ({ value, text: (value < 0.1 ? smallTick : format)(value) + "x" }));
}

// Ratios as changes: 0.95 is -5 %.
function changeTicks(scale, count) {
  const ticks = ratioTicks(scale, count);
  const format = d3.format("+." + Math.max(0, decimals(ticks) - 2) + "f");
  const text = (value) => (Math.abs(value - 1) < 1e-9 ? "0" : format((value - 1) * 100)) + " %";
  return ticks.map((value) => ({ value, text: text(value) }));
}

// Decimals that tell neighbours apart, at most 4.
function decimals(ticks) {
  const gaps = d3.pairs(ticks).map(([a, b]) => b - a);
  return Math.min(4, Math.max(2, d3.precisionFixed(d3.min(gaps) || 0.1)));
}
