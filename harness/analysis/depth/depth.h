// What prefetch_factor, in_order and fewer workers would make of a stored run's steps.
#pragma once
#include <optional>

#include "harness/analysis/depth/foretold.h"
#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// Of a point's pipeline, over its usable rounds; nullopt where none has times of its batches
// (recorded_line.h). For prefetch_factor 1 to 16, the workers that were measured and powers of two
// below them, in order and not.
std::optional<DepthForetold> foretold_depth(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
