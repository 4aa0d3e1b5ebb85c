// The measured numbers of a point by their stored names, units in them: one row, and json and csv
// have it.
#pragma once
#include <span>
#include <string_view>

#include "harness/analysis/findings.h"

namespace benchbench {

// An Estimate, printed with its interval and n.
struct EstimateField {
  std::string_view name;  // "loader_rate_samples_per_second"
  Measured PointFindings::* value;
};
std::span<const EstimateField> estimate_fields() noexcept;
// What may be used of it: nullopt also of L, T or F where that mode is not VALID or NOISY, which is
// for people to look at.
Measured usable_estimate(const EstimateField& field, const PointFindings& point);

// A plain number; nullopt is "not measured".
struct NumberField {
  std::string_view name;  // "peak_memory_bytes"
  std::optional<double> (*value)(const PointFindings&);
};
std::span<const NumberField> number_fields() noexcept;

// DLIO's accelerator utilisation, F/T of usable rates, of the time in which the trainer's thread
// did not wait for a core; at most 1, since noise may put F above T. nullopt also where that is
// under half of it.
std::optional<double> utilisation_of(const PointFindings& point);

}  // namespace benchbench
