// Which of this machine's measured ceilings a rate comes nearest to.
#pragma once
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Of each mode of the point, in their order, where a usable record passed bytes of which
// `doctor --write` or `doctor --data` measured the ceiling: means over these records.
std::vector<NearestCeiling> nearest_ceilings(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
