// The clock of a GPU in one round against that in the other rounds of the same trial: rule R10,
// judged of a trial's records together.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

inline constexpr const char* kClocks = "R10";

// A record in which the GPU's clock was lower.
struct LowClock {
  const TrialRecord* record = nullptr;
  std::string text;
};

// Returns the records whose clock is more than 3 % below the median of their trial's, and the lower
// of two that differ by more: such a round can only have been slower. A clock that a power cap
// holds down is the same in each round. Leaves out windows in which the GPU was idle for over a
// tenth.
std::vector<LowClock> clocks_below_rounds(const JudgedTrials& trials);

}  // namespace benchbench
