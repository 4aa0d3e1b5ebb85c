// The chosen point against the references, in rounds of their own: no choice among many makes it
// look better than it is.
#pragma once
#include <span>
#include <vector>

#include "harness/tune/propose.h"

namespace benchbench {

inline constexpr std::uint32_t kRecheckRounds = 3;
// As many where the present settings come so close that three rounds leave a gain above `worth`
// under the floor.
inline constexpr std::uint32_t kMostRecheckRounds = 7;

// The present settings and the other references, each once, `chosen` left out.
std::vector<PointId> references_of(const TuneProblem& problem, PointId chosen);
// How many trials it takes; `close`: the present settings are believed to be close to the best.
std::size_t recheck_trials(const TuneProblem& problem, bool close);
// Those of rounds that have a trial of `chosen`: with other limits another point may have been
// measured again before.
std::vector<Observation> recheck_of(PointId chosen, std::span<const Observation> recheck);
// The trials of the next round; empty where the recheck is over. A reference that failed has no
// other trial, nor has one that is a tenth or more slower, but for the present settings: the gain
// over them is what is printed. From kRecheckRounds on they alone go on.
std::vector<PointId> recheck_round(const TuneProblem& problem, PointId chosen,
                                   std::span<const Observation> recheck);

}  // namespace benchbench
