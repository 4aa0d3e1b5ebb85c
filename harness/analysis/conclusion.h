// What the one sentence at the end says.
#pragma once
#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Whether more workers help, and the best setting measured, against the point spoken of. Says nothing of workers that was
// not measured, but at num_workers: 0 what one could give at most. Speaks of the base point where it was measured, else of
// the best.
Conclusion conclude(const Plan& plan, const JudgedTrials& trials, const Findings& findings);

}  // namespace benchbench
