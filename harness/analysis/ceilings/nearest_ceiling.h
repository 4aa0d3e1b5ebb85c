// Which of this machine's measured ceilings a rate comes nearest to.
#pragma once
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Returns one for each mode of the point, in their order, whose usable records passed bytes that
// `doctor --write` or `doctor --data` measured a ceiling for: means over these records.
std::vector<NearestCeiling> nearest_ceilings(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
