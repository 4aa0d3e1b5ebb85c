// The measured numbers of a point by their stored names, units in them, as the table of metrics has
// them.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/metrics/metric.h"

namespace benchbench {

// An Estimate, stored with its interval and n.
struct EstimateField {
  const Metric* metric;
  std::string name;  // "loader_rate_samples_per_second"
  Measured PointFindings::* value;
};
std::span<const EstimateField> estimate_fields();
// Returns what may be used of it: nullopt also of L, T or F if that mode is not VALID or NOISY,
// which is for people to look at.
Measured usable_estimate(const EstimateField& field, const PointFindings& point);

// A plain number; nullopt is "not measured".
struct NumberField {
  const Metric* metric;
  std::string name;  // "peak_memory_bytes", "exposed_wait_ms_p50"
  std::function<std::optional<double>(const PointFindings&)> value;
  std::string_view what = "a number of a point";
  std::string_view unit = metric->unit.word;
};
std::span<const NumberField> number_fields();

// Returns the columns of a table of numbers: an estimate X has X, X_low, X_high (95 %) and X_n, the
// number of its rounds with the unit "count", then the plain numbers. `usable`: as
// usable_estimate() gives them; `rounds` stands in place of "_n".
std::vector<NumberField> number_columns(bool usable, std::string_view rounds = "_n");

}  // namespace benchbench
