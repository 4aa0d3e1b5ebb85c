// What each swept axis gave against the base, at otherwise the base's settings.
#pragma once
#include <vector>

#include "harness/analysis/choice/against_base.h"

namespace benchbench {

// By the scenario's axes, but those of which no point is left; one for all of a zip.
std::vector<AxisEffect> axis_effects(const Plan& plan, const std::vector<PointFindings>& points,
                                     const AgainstBase& against);

// The base's settings once more ("4 #1"), to see what identical settings differ by. Of a grid it is
// a value of the axis it is numbered on alone.
bool repeats_base(const Plan& plan, const Point& point);

}  // namespace benchbench
