// What a reader must know before believing a comparison.
#pragma once
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

Warnings warnings_of(const Plan& plan, const JudgedTrials& trials,
                     const std::vector<PointFindings>& points);

}  // namespace benchbench
