#include "harness/analysis/metrics/metric_values.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/judged_trials.h"
#include "harness/analysis/point_summary.h"
#include "harness/analysis/rules.h"

namespace benchbench::metric_values {
namespace {

// T has no such wait taken out of it. What is left of a step of which it is most is no measure.
constexpr double kLeastWithCore = 0.5;

// The share of the step in which the trainer's thread did not wait for a core. All of it where that
// was not measured.
double share_with_core(const PointFindings& p) {
  if (!p.core_wait_ms || !p.step_ms) return 1;
  return 1 - p.core_wait_ms->value / p.step_ms->value;
}

bool is_usable_in(const PointFindings& p, Mode mode) {
  return is_usable(p.mode_status[static_cast<std::size_t>(mode)].value_or(Status::skipped));
}

// A time or a size of 0 was not measured: it has no ratio either.
std::optional<double> above_zero(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<double> batch_size(const PointFindings& p) { return above_zero(p.batch_size); }

std::optional<double> utilisation(const PointFindings& p) {
  if (p.is_bound(Mode::trainer) || !is_usable_in(p, Mode::pipeline) ||
      !is_usable_in(p, Mode::trainer) || !p.pipeline_rate || !p.trainer_rate)
    return std::nullopt;
  const double with_core = share_with_core(p);
  if (with_core < kLeastWithCore) return std::nullopt;
  return std::min(1.0, p.pipeline_rate->value / (with_core * p.trainer_rate->value));
}

std::optional<double> rate(const Facts& f) {
  const auto log = log_rate(f);
  return log ? std::optional(std::exp(*log)) : std::nullopt;
}

std::optional<double> wait_ms(const Facts& f) {
  const auto share = waited_share(f);
  if (!share || f.window.steps == 0) return std::nullopt;
  return *share * static_cast<double>(f.window.ns) * 1e-6 / static_cast<double>(f.window.steps);
}

std::optional<double> startup_ms(const Facts& f) {
  return above_zero(static_cast<double>(f.start.startup_ns) * 1e-6);
}

std::optional<double> first_batch_ms(const Facts& f) {
  return above_zero(static_cast<double>(f.start.first_batch_ns) * 1e-6);
}

std::optional<double> peak_memory_bytes(const Facts& f) {
  return above_zero(static_cast<double>(f.peak_memory_bytes.value_or(0)));
}

// MLPerf Storage's word for its own emulated steps: others have none.
bool has_emulated_steps(const Findings&, const Plan& plan, const PointFindings& p) {
  const Value* trainer = plan.points[p.point].settings.find("trainer.use");
  return trainer && trainer->text() == "timed";
}

bool is_no_script(const Findings&, const Plan& plan, const PointFindings&) {
  return !wraps_script(plan);
}

bool is_shuffled_apart(const Findings& f, const Plan&, const PointFindings&) {
  return orders_differ(f);
}

bool leaves_samples_out(const Findings&, const Plan& plan, const PointFindings&) {
  return std::ranges::any_of(plan.points,
                             [](const Point& p) { return p.settings.given("dataset.keep"); });
}

}  // namespace benchbench::metric_values
