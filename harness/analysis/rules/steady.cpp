#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/rules/checks.h"
#include "harness/record/measure_limits.h"

namespace benchbench::rules {
namespace {

// What a loader without data has been given is left out of its trial's settings.
bool reads_dataset(const Trial& trial) {
  const Value* format = trial.settings.find("dataset.format");
  return trial.mode != Mode::trainer && format && !format->none();
}

}  // namespace

std::optional<Firing> steady(const TrialRecord& record) {
  const Facts& f = record.facts;
  const double limit = slope_limit(reads_dataset(record.trial));
  if (std::abs(f.slope_share) > limit)
    return Firing{false, fmt::format("step time changed by {:+.0f} % across the window, over {:.0f} %",
                                     100 * f.slope_share, 100 * limit)};
  if (!f.steady) return Firing{false, "the warm-up ended at its cap before steps were steady"};
  return std::nullopt;
}

}  // namespace benchbench::rules
