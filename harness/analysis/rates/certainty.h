// The slower side of a wrapped script, as far as its rounds show: a rule that may be asked after
// each of them. Pure.
#pragma once
#include <optional>
#include <span>

#include "harness/analysis/rates/side.h"
#include "harness/analysis/statistics/estimate.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {

// Returns kQuietSpread or kBusySpread; the latter where the cores that others took are unknown.
double expected_spread(std::optional<double> others_cores) noexcept;

// Returns the share within which two rates are balanced: 0.15, and 0.25 on a busy machine, whose
// rounds would have to be more than twenty to show the same.
double balanced_within(double spread) noexcept;

// Returns half of the interval of these logarithms' mean, as a logarithm. The expected spread
// counts as much as four rounds, so that one round has an interval too: with n rounds
//   s² = (4·spread² + Σ(d − mean)²) / (4 + n − 1),  t(4 + n − 1)·s/√n.
// `errors`: the share of intervals that may miss. At least one value.
double half_interval(std::span<const double> logs, double spread, double errors = 0.05);

// The same as estimate_cut_rates(), with half_interval() where a spread is expected. nullopt of no
// values.
Measured estimate_rates(std::span<const double> logs, double phase, std::optional<double> spread,
                        double errors = kErrors);

// Returns the least number of rounds that settle anything where they are expected to differ so.
constexpr std::size_t least_rounds(double spread) noexcept {
  return spread < kBusySpread ? 1 : kBusyRounds;
}

// Returns what the rounds settle, from ln(T/L) of each: the loader or the trainer where the mean is
// off 0 by more than its 99 % interval, balanced where the 95 % interval lies within
// balanced_within(), else unknown. At 99 %, looking after each round names a wrong side no more
// often than five fixed rounds with 95 % do. `phase`: the share that the cut of both windows leaves
// unknown; `above`: what F was faster by than the slower side, as a logarithm. It cannot be, so
// that the sides may be nearer to each other by as much.
Side settled_side(std::span<const double> logs, double spread, double phase = 0, double above = 0);

}  // namespace benchbench
