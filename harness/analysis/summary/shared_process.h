// Compares trials in a process that had run others with those in one of their own.
#pragma once
#include <optional>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/warnings.h"

namespace benchbench {

// Returns the trial, of those that were measured both ways, whose rates differ most, by 2 % and
// more than their spread explains once in a thousand; nullopt where none is, or none was measured
// both ways.
std::optional<Warnings::SharedProcess> unlike_in_shared_process(const JudgedTrials& trials);

// True if trials ran in a process that had run others, and none of them in one of its own, too.
bool is_shared_unchecked(const JudgedTrials& trials);

}  // namespace benchbench
