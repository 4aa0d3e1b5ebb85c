// What was skipped, noisy, invalid, failed or never run, and why.
#pragma once
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// By status and rule, what is no rule by the first line of its text: FAILED first, then INVALID,
// NOISY, ABORTED, SKIPPED.
std::vector<Problem> problems_of(const JudgedTrials& trials);

std::vector<PlannedSkip> planned_skips(const Plan& plan, const JudgedTrials& trials);

// Trials by status, of those planned; `trials_missing` are those without a record.
void count_trials(const Plan& plan, const JudgedTrials& trials, Findings& out);

// Distinct faulty samples by id, most 32 kept; warnings after errors.
void collect_faults(const JudgedTrials& trials, Findings& out);

}  // namespace benchbench
