// Which other depth or order is worth trying, by what was foretold.
#pragma once
#include "harness/analysis/findings.h"

namespace benchbench {

// Returns that of the point to use, else of the base; nullptr if its batches were not timed.
const DepthForetold* depth_to_tell(const Findings& findings) noexcept;

// By how much a step would be shorter, as a share of the foretold one with the measured settings.
double foretold_gain(const DepthForetold& depth, const ForetoldStep& step) noexcept;

// The step that other settings would make shorter by kWorth or more: a depth in the
// order that was measured before one in another order. nullptr where there is none, and where
// depths or orders were swept: what was measured says more than what is foretold.
const ForetoldStep* depth_to_try(const Findings& findings, const DepthForetold& depth) noexcept;

// True if a depth or an order was swept.
bool has_swept_depth(const Findings& findings) noexcept;

}  // namespace benchbench
