// What was skipped, noisy, invalid, failed or never run, and why, in as few lines as can be.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// "NOISY R06 (steady): base pipeline round 2 (...), ..." — one line a status and rule, trials named up to a
// few. FAILED first, then INVALID, NOISY, ABORTED, SKIPPED, and what has no record.
std::vector<std::string> problems_of(const Plan& plan, const JudgedTrials& trials);

// Trials by status, of the slots planned; `trials_missing` are those without a record.
void count_trials(const Plan& plan, const JudgedTrials& trials, Findings& out);

// Distinct faulty samples by id, most 32 kept; warnings after errors.
void collect_faults(const JudgedTrials& trials, Findings& out);

}  // namespace benchbench
