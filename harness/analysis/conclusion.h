// The one sentence at the end.
#pragma once
#include <string>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Which side, how many milliseconds of each step, whether more workers help, and the best setting measured;
// "Indicative" under kFirmRounds. Speaks of the base point where it was measured, else of the best. Other
// words where no side can be named: modes left out, rounds too different, nothing usable.
std::string conclude(const Plan& plan, const JudgedTrials& trials, const Findings& findings);

}  // namespace benchbench
