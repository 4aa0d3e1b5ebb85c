// Says why a trial's rounds were not VALID, in one line that a history keeps.
#pragma once
#include <span>
#include <string>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// Returns the rule that most rounds broke, of several the worst, with the first text that gives it:
// "R09 neighbours in 3 of 3 rounds: ..."; where it is no rule their status, "FAILED in 2 of 3
// rounds: ...". "no rate was measured" where all are VALID.
std::string why_not_valid(JudgedRecords records);

}  // namespace benchbench
