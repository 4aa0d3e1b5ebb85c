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

// Returns "+12 % of its mean across the window (limit 5 %)", with as many decimals as tell the two
// apart.
std::string trend_and_limit(double share, double limit) {
  constexpr int kMostDecimals = 9;
  int decimals = 0;
  const auto text = [&](double value) { return fmt::format("{:.{}f}", 100 * value, decimals); };
  while (decimals < kMostDecimals && text(std::abs(share)) == text(limit)) ++decimals;
  return fmt::format("{:+.{}f} % of its mean across the window (limit {:.0f} %)", 100 * share,
                     decimals, 100 * limit);
}

}  // namespace

std::optional<Firing> steady(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.external && f.external->step_times == StepTimes::of_enqueue) return std::nullopt;
  const double limit = slope_limit(reads_dataset(record.trial));
  if (std::abs(f.window.slope_share) > limit)
    return doubt(fmt::format("step time has a trend of {}{}",
                             trend_and_limit(f.window.slope_share, limit), shape(f)));
  if (!f.start.steady)
    return doubt("the warm-up reached its cap before steps were steady" + shape(f));
  if (f.window.steadiness == SteadinessKind::unsteady)
    return doubt(
        "the window is unsteady: its parts differ by more than the variation of steps explains");
  return std::nullopt;
}

}  // namespace benchbench::rules
