#include "harness/analysis/rates/certainty.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/phase.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

// All windows may have been cut at the same place, which one round cannot show.
double unknown_by_cut(std::span<const double> logs, double phase) {
  return logs.size() < 2 ? phase : cut_allowance(logs, phase);
}

}  // namespace

double expected_spread(std::optional<double> others_cores) noexcept {
  return others_cores && *others_cores <= kBusyCores ? kQuietSpread : kBusySpread;
}

double balanced_within(double spread) noexcept {
  return spread < kBusySpread ? kBalancedQuiet : kBalancedBusy;
}

double half_interval(std::span<const double> logs, double spread, double errors) {
  const double n = static_cast<double>(logs.size()), freedom = kRoundsOfSpread + n - 1;
  const double mean = mean_of(logs);
  double squares = kRoundsOfSpread * spread * spread;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  return Shift{mean, std::sqrt(squares / freedom / n), freedom, 0}.half(errors);
}

Measured estimate_rates(std::span<const double> logs, double phase, std::optional<double> spread,
                        double errors) {
  if (!spread || logs.empty()) return estimate_cut_rates(logs, phase);
  const double mean = mean_of(logs),
               half = std::max(half_interval(logs, *spread, errors), unknown_by_cut(logs, phase));
  return exp_of_logs({mean, mean - half, mean + half, static_cast<std::uint32_t>(logs.size())});
}

Side settled_side(std::span<const double> logs, double spread, double phase, double above) {
  if (logs.size() < least_rounds(spread)) return Side::unknown;
  const double mean = mean_of(logs), off = std::abs(mean), cut = unknown_by_cut(logs, phase),
               over = std::max(0.0, above);
  const double beyond = std::max(half_interval(logs, spread, kErrorsOfLooks), cut) + over;
  if (const Difference apart = decide_rates(mean, {beyond}); apart != Difference::unsure)
    return apart == Difference::faster ? Side::loader : Side::trainer;
  const double most = off + std::max(half_interval(logs, spread), cut) + over;
  return most < std::log1p(balanced_within(spread)) ? Side::balanced : Side::unknown;
}

}  // namespace benchbench
