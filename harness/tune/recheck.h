// The chosen point against the references, in rounds of their own: no choice among many makes it
// look better than it is.
#pragma once
#include <span>
#include <vector>

#include "harness/analysis/statistics/estimate.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/tune/propose.h"

namespace benchbench {

// True if `chosen` has fewer workers than the present settings, and these are not given up for as
// fast a rate.
bool needs_gain(const TuneProblem& problem, PointId chosen);
// The least number of pairs from which anything is said of it.
std::uint32_t pairs_needed(const TuneProblem& problem, PointId chosen);

// The rate of one point over that of another, in the rounds that have both: a geometric mean with
// the t interval of these pairs alone. nullopt where there are none.
Measured ratio_in_pairs(PointId point, PointId over, Observations records);

// Virtual time repeats itself: pairs that do not differ at all.
bool is_exact(const Estimate& pairs) noexcept;
// The chance that the true ratio is above, by the pairs alone; 1 of one pair, which says nothing.
double chance_in_pairs(const Estimate& pairs, double ratio);

// The present settings and the other references, each once, `chosen` left out.
std::vector<PointId> references_of(const TuneProblem& problem, PointId chosen);
// Returns the number of trials that a recheck of these rounds takes.
std::size_t recheck_trials(const TuneProblem& problem, std::uint32_t rounds);
// Those of rounds that have a trial of `chosen`: with other limits another point may have been
// measured again before.
std::vector<Observation> recheck_of(PointId chosen, Observations recheck);
// The trials of the next round; empty where the recheck is over. A reference that failed has no
// other trial, nor has any but the present settings: the gain over them is what is printed. From
// pairs_needed() on they go on while the pairs' interval is wider than `worth` to either side,
// wherever it is: pairs that went on until they show something would show too much.
std::vector<PointId> recheck_round(const TuneProblem& problem, PointId chosen,
                                   Observations recheck);

}  // namespace benchbench
