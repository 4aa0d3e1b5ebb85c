// In which order trials run: rounds of all points, so that drift of the machine falls on all alike.
#pragma once
#include <vector>

#include "harness/record/trial.h"

namespace benchbench {

// The trial repeated at start, middle and end of each round: the base point's trainer trial, else
// its first that can run; kNoAnchor where none can.
std::uint32_t choose_anchor(const std::vector<Point>& points, const std::vector<Trial>& trials);

// All rounds. In a round points come in seeded random order, a point's trials, ablations among
// them, side by side in random order; a shared trial runs once, with the first of its points; the
// anchor three times (repeat 0, 1, 2) and with no point. Skipped trials do not appear.
std::vector<PlannedRun> make_order(const std::vector<Point>& points,
                                   const std::vector<Trial>& trials, std::uint32_t anchor,
                                   std::uint32_t rounds, std::uint64_t seed);

inline constexpr std::uint32_t kAnchorRuns = 3;  // in a round

// What is counted as a trial, by plan, progress and report alike: one run of one trial in one
// round, the anchor's each. SKIPPED trials run in no round and are counted apart, once each.
struct TrialCount {
  std::size_t runs_a_round = 0;
  std::size_t skipped = 0;
};
TrialCount trial_count_of(const Plan& plan);

// Rounds that may run: plan.rounds, or with measure.stop_at as many as measure.max_rounds lets.
std::uint32_t max_rounds(const Plan& plan);

}  // namespace benchbench
