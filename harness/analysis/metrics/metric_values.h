// How metrics are computed: from a point's findings, and from the facts of one trial.
#pragma once
#include <optional>

#include "harness/analysis/findings.h"

namespace benchbench::metric_values {

// Returns a member of the point's findings.
template <auto member>
std::optional<double> at_point(const PointFindings& point) {
  const auto& value = point.*member;
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}
std::optional<double> batch_size(const PointFindings& point);
// Returns DLIO's accelerator utilisation: F/T of usable rates, of the time in which the trainer's
// thread did not wait for a core; at most 1, since noise may put F above T. nullopt also if that
// time is under half of the step.
std::optional<double> utilisation(const PointFindings& point);

// In the metric's unit; nullopt: not measured.
std::optional<double> rate(const Facts& facts);
std::optional<double> wait_ms(const Facts& facts);
std::optional<double> startup_ms(const Facts& facts);
std::optional<double> first_batch_ms(const Facts& facts);
std::optional<double> peak_memory_bytes(const Facts& facts);

// True of the points at which a column has something to say.
bool has_emulated_steps(const Findings& findings, const Plan& plan, const PointFindings& point);
bool is_no_script(const Findings& findings, const Plan& plan, const PointFindings& point);
bool is_shuffled_apart(const Findings& findings, const Plan& plan, const PointFindings& point);
bool leaves_samples_out(const Findings& findings, const Plan& plan, const PointFindings& point);

}  // namespace benchbench::metric_values
