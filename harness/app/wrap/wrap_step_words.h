// Sentences on steps whose batches come without a DataLoader.
#pragma once
#include <cstdint>
#include <string>

#include "harness/part/wrapped.h"

namespace benchbench {

// Steps from which their rate is known.
inline constexpr std::uint64_t kLeastSteps = 50;
// True if no loader was measured, and none is asked for batches, but the steps have a rate.
bool knows_rate(const WrapEnd& end);
// " It makes 12.3 steps/s (81 ms each, over 240 steps): ...", with the parts of a step.
std::string steps_words(const WrapSteps& steps);
// Says how a function that makes their batches is measured, and which ones the loop names.
std::string by_hand_words(const WrapSteps& steps);

}  // namespace benchbench
