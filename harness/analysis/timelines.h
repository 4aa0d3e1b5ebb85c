// Where the time of one point's step went, thread by thread.
#pragma once
#include <optional>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Host and device, in this order; empty where the point's pipeline has no usable round with metered
// waits. Device work has a timeline of its own only where steps are enqueued; else it lies on the
// host's and the device's says so.
std::vector<Timeline> timelines_of(const Point& point, const JudgedTrials& trials);

// nullopt where no worker was metered.
std::optional<LoaderWork> loader_work_of(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
