// The kinds of charts: charts[kind](svg, data, width) draws one and returns its height.
const charts = {};
