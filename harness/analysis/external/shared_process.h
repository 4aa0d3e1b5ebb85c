// Whether trials in a process that had run others have the rate of those in one of their own.
#pragma once
#include <optional>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Of the trials that were measured both ways, the one whose rates differ most, by 2 % and more than
// their spread explains once in a thousand; nullopt where none is, or none was measured both ways.
std::optional<Warnings::SharedProcess> unlike_in_shared_process(const JudgedTrials& trials);

}  // namespace benchbench
