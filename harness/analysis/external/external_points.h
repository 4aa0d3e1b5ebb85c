// What was seen of one point's loader, whatever is wrong with it.
#pragma once
#include "harness/analysis/external/external_windows.h"

namespace benchbench {

ExternalPoint external_point(const LoaderTrials& trial);
// Returns what is known of a wrapped script that ended without a stretch: its record is ABORTED.
// nullopt where there is none of these.
std::optional<ExternalPoint> point_without_window(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
