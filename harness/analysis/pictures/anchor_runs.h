// The runs of the plan's anchor, in the order they ran: how the machine drifted.
#pragma once
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Every run that has a rate, usable or not; `ratio` is over the median of the usable ones. Empty
// without an anchor, or where none is usable.
std::vector<AnchorRun> anchor_runs(const Plan& plan, const JudgedTrials& trials);

}  // namespace benchbench
