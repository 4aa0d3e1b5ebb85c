// The measured numbers of a point by their stored names, units in them, as the table of metrics has
// them.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "harness/analysis/findings.h"
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
};
std::span<const NumberField> number_fields();

}  // namespace benchbench
