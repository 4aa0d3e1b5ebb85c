// How much of a rate the cut of its windows leaves unknown.
#pragma once
#include <span>

#include "harness/analysis/statistics/estimate.h"
#include "harness/record/trial_record.h"

namespace benchbench {

// Returns the most by which the rate of a window that began elsewhere could differ, as a share: how
// far its steps stray from an even pace (WindowFacts::pace_range_ns). In virtual records of before
// that was known it is a batch of each worker but one, as their windows cut bursts; else 0.
double phase_share(const Facts& facts) noexcept;

// Returns `phase` where the rounds agree far better than the steps of their own windows, else 0:
// what estimate_cut() has to either side at least.
double cut_allowance(std::span<const double> values, double phase);

// The same as estimate_mean(), and at least `phase` to either side where the rounds agree far
// better than the steps of their own windows: all were cut at the same place then, and do not show
// what the cut costs.
Measured estimate_cut(std::span<const double> values, double phase);
// The same as estimate_from_logs(), as far as estimate_cut() is the same as estimate_mean(). So the
// 95 % intervals of 3,000 simulated trials with spread times held 95 % of the rates; cut at any
// step, as windows were before, 77 %.
Measured estimate_cut_rates(std::span<const double> logs, double phase);

}  // namespace benchbench
