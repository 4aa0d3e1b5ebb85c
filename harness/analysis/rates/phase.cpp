#include "harness/analysis/rates/phase.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

// The range of a random walk back to its start is 1.25 of its standard deviation: rounds that
// differ by a quarter of the range or more are explained by it, and those of 5 rounds that differ
// by less by chance are 2 in 100.
constexpr double kFarBetter = 4;

}  // namespace

double phase_share(const Facts& facts) noexcept {
  const WindowFacts& w = facts.window;
  if (w.ns <= 0 || w.steps == 0) return 0;
  if (w.pace_range_ns) return static_cast<double>(*w.pace_range_ns) / static_cast<double>(w.ns);
  if (!facts.simulated || facts.workers.count < 2) return 0;
  return static_cast<double>(facts.workers.count - 1) / static_cast<double>(w.steps);
}

double cut_allowance(std::span<const double> values, double phase) {
  return values.size() > 1 && phase > kFarBetter * standard_deviation(values) ? phase : 0;
}

Measured estimate_cut(std::span<const double> values, double phase) {
  Measured e = estimate_mean(values);
  if (const double cut = cut_allowance(values, phase); e && cut > 0) {
    e->low = std::min(e->low, e->value - cut);
    e->high = std::max(e->high, e->value + cut);
  }
  return e;
}

Measured estimate_cut_rates(std::span<const double> logs, double phase) {
  Measured e = estimate_cut(logs, phase);
  return e ? Measured(exp_of_logs(*e)) : e;
}

}  // namespace benchbench
