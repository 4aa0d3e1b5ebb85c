// How much of a point can be believed, and why not.
#pragma once
#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// SKIPPED where the point or all its trials cannot run here. Else the worst over its modes: a mode
// with a usable record is VALID, or NOISY where a round of it is NOISY, INVALID or FAILED; a mode
// without one is what its records are, FAILED before INVALID, ABORTED where there are none. Reasons
// are distinct.
PointStatus point_status(const Plan& plan, const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
