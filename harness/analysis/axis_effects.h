// What each swept axis gave, and which point to use.
#pragma once
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// By the scenario's axes; one for all of a zip. Rates of the recommendation's mode.
std::vector<AxisEffect> axis_effects(const Plan& plan, const JudgedTrials& trials, const std::vector<PointFindings>& points,
                                     double floor);

// nullopt where the base has no usable rate in the mode that is compared.
std::optional<Recommended> recommended_point(const Plan& plan, const JudgedTrials& trials,
                                             const std::vector<PointFindings>& points, double floor);

}  // namespace benchbench
