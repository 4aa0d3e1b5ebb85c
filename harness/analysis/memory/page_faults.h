// Page faults: how much of a step they take, and whether they explain that identical trials differ.
#pragma once
#include <optional>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Returns the usable trial whose threads spent the largest share of their time on page faults, at
// the cost of one that the trial's process measured; nullopt where that is at most 1 % everywhere.
std::optional<PageFaults> costly_page_faults(const JudgedTrials& trials);

// Returns the two runs of one round with the same mode and settings that differ most in rate, where
// they differ by over a tenth and their windows do not explain it: half of the steps (or waits) of
// the slower one took longer than nine of ten of the faster one's. nullopt where there are none.
std::optional<UnlikeRepeats> unlike_repeats(const JudgedTrials& trials);

}  // namespace benchbench
