// The stage that a point's change lies in.
#pragma once
#include <optional>

#include "harness/analysis/compare/comparison_findings.h"
#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

struct PointOfRun {
  const Point& point;
  const JudgedTrials& trials;
};

// What moves in the trial whose rate is SLOWER, else FASTER: in the pipeline's, else in the
// loader's or the trainer's alone. By substitution where both sides have some, else by the parts of
// the trainer's step; where that is the wait for batches, by what the loader did.
// nullopt where no rate nor the wait is SLOWER or FASTER.
std::optional<MovedStage> moved_stage(const PointOfRun& a, const PointOfRun& b,
                                      const PointComparison& found, Rounds rounds);

}  // namespace benchbench
