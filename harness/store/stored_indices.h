// What is read back from disk is input: indices that point past the end are damage, found where it
// is read.
#pragma once
#include "harness/record/trial_record.h"

namespace benchbench {

// Each index of the plan names what is there: trials of points, points of trials, trials of the
// order, the anchor; and points and trials carry their own place. Throws StoreError: "the plan is
// damaged: points[0].trials[0]: trial 99 of 5".
void check_indices(const Plan& plan);

// The same of a record: its slot, and its trial's points.
void check_indices(const TrialRecord& record, const Plan& plan);

}  // namespace benchbench
