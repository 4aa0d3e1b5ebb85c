// Every number that reports print, one row each. The terminal, Markdown, HTML, CSV, JSON,
// results.h5, JUnit, Prometheus, `describe`, compare and history take it from here.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/record/trial_record.h"

namespace benchbench {

enum class Better : std::uint8_t { higher, lower, neither };

struct Unit {
  std::string_view word;    // "samples/s"
  std::string_view suffix;  // the end of a stored name: "_samples_per_second"
};

// The text of a value in a cell of the table of points.
enum class CellFormat : std::uint8_t {
  rate,   // with its spread; in brackets if its mode is INVALID, "> " of a lower bound
  count,  // "1,234"
  ratio,  // "1.25x"; "> " if the loader's rate is a lower bound, its spread with `detail` only
  over_reference,  // a ratio, or "reference" for the point that others are compared with
  milliseconds,
  share,        // "4.2 %"
  whole_share,  // "98 %", rounded down: 100 % means all
  bytes,
  bytes_asked,  // with the bytes that storage delivered where those are more
  two_digits,   // "0.98"
  three_digits,
};

// The times at which the table has a column.
enum class ColumnUse : std::uint8_t {
  always,
  where_points_differ,  // with --detail always
  detail,               // only with --detail, and in Markdown
};

// A metric's column in the table of points.
struct MetricColumn {
  std::string_view title;  // "": the table has none
  std::string_view subtitle;
  int place;  // columns are printed in this order
  CellFormat format;
  ColumnUse use = ColumnUse::detail;
  bool hide_if_empty = false;  // an empty column is not counted among what was not measured
  // True if the point's cell has something to say; nullptr: always.
  bool (*applies)(const Findings&, const Plan&, const PointFindings&) = nullptr;
  std::string_view note = {};  // what `describe` says of the column beyond the definition
};

// A gate of `compare` is of one kind: of the three rates, or of one other metric.
enum class MetricKind : std::uint8_t { rate, wait, startup, first_batch, memory };

// A metric as two runs are compared by it.
struct MetricCompared {
  MetricKind kind = MetricKind::rate;
  std::optional<double> (*value)(const Facts&) = nullptr;  // nullptr: they are not
};

struct Metric {
  std::string_view name;    // "loader_rate"
  std::string_view symbol;  // "L", "" if it has none
  Unit unit;
  Better better;
  std::string_view definition;  // with the formula
  // Its value at a point: an estimate, or a plain number of its findings. Without both, and without
  // `from_facts`, it is none of a point.
  Measured PointFindings::* estimate = nullptr;
  std::optional<double> (*number)(const PointFindings&) = nullptr;
  MetricColumn column = {};
  // By Mode: the trials that it comes from, whose status is its own; none: it has no status.
  std::array<bool, 3> modes = {};
  MetricCompared compared = {};
  // Its distribution over the steps of a window, in ns; nullptr: not kept.
  std::optional<Distribution> PointFindings::* distribution = nullptr;
  // A plain number from the usable trials whose resources the point shows.
  std::optional<double> (*from_facts)(const UsableFacts&) = nullptr;

  // Returns the mode that it comes from; nullopt if they are several or none.
  std::optional<Mode> mode() const noexcept;
  // True of L, T and F.
  bool is_rate() const noexcept { return compared.value && compared.kind == MetricKind::rate; }
  std::optional<double> value_at(const PointFindings& point) const;
  // Returns its name in stores, with its unit: "loader_rate_samples_per_second".
  std::string field() const;
};

// In the order of the stores' fields.
std::span<const Metric> metrics() noexcept;
// Returns the plain numbers that come from such facts (Metric::from_facts), by the metric's name.
std::map<std::string_view, double> numbers_from_facts(const UsableFacts& facts);
// Returns L, T or F.
const Metric& rate_metric(Mode mode) noexcept;
// Returns DLIO's accelerator utilisation: F/T of usable rates, of the time in which the trainer's
// thread did not wait for a core; at most 1, since noise may put F above T. nullopt also if that
// time is under half of the step.
std::optional<double> utilisation(const PointFindings& point);
// Returns those that runs are compared by, the pipeline's rate first.
std::span<const Metric* const> compared_metrics();

}  // namespace benchbench
