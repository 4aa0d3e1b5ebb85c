// Page faults: how much of a step they take, and whether they explain that identical trials differ.
#pragma once
#include <optional>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// Minor page faults of the trial that they take most of.
struct PageFaults {
  std::uint32_t trial = 0;
  double per_step = 0;
  double each_ms = 0;  // as measured on this machine
  double share = 0;    // of the time of the trial's threads
};

// Two runs of one round with the same mode and settings that differ more than their windows
// explain.
struct UnlikeRepeats {
  PlannedRun slow, fast;
  double ratio = 1;          // the faster one's rate over the slower one's
  bool page_faults = false;  // the slower one's further page faults explain it
};

// Returns the usable trial whose threads spent the largest share of their time on page faults, at
// the cost of one that the trial's process measured; nullopt where that is at most 1 % everywhere.
std::optional<PageFaults> costly_page_faults(const JudgedTrials& trials);

// Returns the two runs of one round with the same mode and settings that differ most in rate, where
// they differ by over a tenth and their windows do not explain it: half of the steps (or waits) of
// the slower one took longer than nine of ten of the faster one's. nullopt where there are none.
std::optional<UnlikeRepeats> unlike_repeats(const JudgedTrials& trials);

}  // namespace benchbench
