// Steps far beyond the usual, each as an event.
#pragma once
#include "harness/record/trial_record.h"
#include "harness/trial/step_series.h"

namespace benchbench {

// A step, its get and what followed it counted in, is a stall where it took more than three times the median
// and more than the median and ten times the median distance from it. Its cause is the term that is furthest
// beyond its own median: "get_blocked", "step", "postprocess" (what follows a step but for checkpoints) or
// "checkpoint". `ns` is what it took beyond the median step, `at_ns` where its get began. The period is that
// of all stalls, else that of one cause's. The first and the last step of the window are no stalls: the
// pipeline is filled and emptied there.
StallFacts stalls_of(const StepSeries& series);

// A step's get, the step itself and what followed it.
std::vector<std::int64_t> whole_steps(const StepSeries& series);

}  // namespace benchbench
