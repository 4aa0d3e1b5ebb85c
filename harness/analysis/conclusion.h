// The one sentence at the end.
#pragma once
#include <string>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Which side, how many milliseconds of each step, whether more workers help, and the best setting measured;
// "Indicative" where the point has fewer than kFirmRounds. Says nothing of workers that was not measured, but
// at num_workers: 0 what one could give at most. Speaks of the base point where it was measured, else of the best. Other
// words where no side can be named: modes left out, rounds too different, nothing usable.
std::string conclude(const Plan& plan, const JudgedTrials& trials, const Findings& findings);

}  // namespace benchbench
