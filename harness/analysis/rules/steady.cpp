#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"
#include "harness/record/measure_limits.h"

namespace benchbench::rules {
namespace {

// What the shape of the window adds to the reason: "; the window is periodic, every 8 steps".
std::string shape(const Facts& f) {
  if (f.window.steadiness <= SteadinessKind::steady) return "";
  if (f.window.steadiness == SteadinessKind::periodic && f.window.period_steps > 0)
    return fmt::format("; the window is periodic, every {:.3g} steps", f.window.period_steps);
  return fmt::format("; the window's class is {}", name_of(f.window.steadiness));
}

}  // namespace

std::optional<Firing> steady(const TrialRecord& record) {
  const Facts& f = record.facts;
  const double limit = slope_limit(reads_dataset(record.trial));
  if (std::abs(f.window.slope_share) > limit)
    return Firing{
        false,
        fmt::format(
            "step time has a trend of {:+.0f} % of its mean across the window (limit {:.0f} %){}",
            100 * f.window.slope_share, 100 * limit, shape(f))};
  if (!f.start.steady)
    return Firing{false, "the warm-up reached its cap before steps were steady" + shape(f)};
  if (f.window.steadiness == SteadinessKind::unsteady)
    return Firing{
        false,
        "the window is unsteady: its parts differ by more than the variation of steps explains"};
  return std::nullopt;
}

}  // namespace benchbench::rules
