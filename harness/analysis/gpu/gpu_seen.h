// The card that a point's steps ran on, whoever ran them.
#pragma once
#include <optional>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Returns it as the usable records of the point's steps have it; nullopt where none names a card,
// as on the emulated device. What one of them does not say is not known.
std::optional<GpuSeen> see_gpu(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
