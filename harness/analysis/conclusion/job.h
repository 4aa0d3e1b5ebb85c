// A job's hours, before and after.
#pragma once
#include "harness/analysis/findings.h"

namespace benchbench {

// Samples N take N / F / 3600 hours, F of the base's pipeline before, of the point to use after,
// and with each epoch its gap where one was measured; hours H are those before, and H over the
// ratio of the two, within rounds, after. `hours` stays empty where F, or the length of an epoch,
// is not known; `hours_after` where no other point is to be used, or one of another data set, or
// the pipeline's rate is not what spoke for it.
TrainingJob job_of(const Plan& plan, const Findings& findings, const JobAsked& asked);

}  // namespace benchbench
