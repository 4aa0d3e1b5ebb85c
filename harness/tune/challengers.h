// Which points have a trial next.
#pragma once
#include <vector>

#include "harness/tune/standing.h"

namespace benchbench {

// For the first rounds: spread over the values of every knob, drawn from the problem's seed and the
// round.
std::vector<PointId> spread_points(const TuneProblem& problem, const Feasible& feasible,
                                   std::uint32_t round, std::size_t count);
// Those whose trial promises most above the best (expected improvement), each as if those before it
// were measured.
std::vector<PointId> promising_points(const SearchState& state, std::size_t count);
// Cheaper than the chosen one and perhaps as good, and those that may be the best: what decides
// which is cheapest.
std::vector<PointId> undecided_points(const TuneProblem& problem, const SearchState& state,
                                      std::size_t count);

}  // namespace benchbench
