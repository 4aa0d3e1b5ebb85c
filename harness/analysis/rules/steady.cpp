#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

// Storage drifts more than arithmetic, and a trial that reads a data set is one of storage until shown
// otherwise.
double slope_limit(const Trial& trial) {
  const Value* format = trial.settings.find("dataset.format");
  return trial.mode != Mode::trainer && format && !format->none() ? 0.10 : 0.05;
}

}  // namespace

std::optional<Firing> steady(const TrialRecord& record) {
  const Facts& f = record.facts;
  const double limit = slope_limit(record.trial);
  if (std::abs(f.slope_share) > limit)
    return Firing{false, fmt::format("step time changed by {:+.0f} % across the window, over {:.0f} %",
                                     100 * f.slope_share, 100 * limit)};
  if (!f.steady) return Firing{false, "the warm-up ended at its cap before steps were steady"};
  return std::nullopt;
}

}  // namespace benchbench::rules
