// Makes what a plan needs before its trials, in a child, with progress.
#pragma once
#include <string>

#include "harness/record/trial.h"

namespace benchbench {

// Returns when every data set of the plan lies there. Throws ScenarioError, StoreError, InterruptedError; PartError where
// the child died. Progress goes to standard error.
void make_datasets(const Plan& plan, const std::string& cache_folder);

// Builds results.h5 from a run's journal in a child. StoreError where that failed.
void export_in_child(const std::string& run_folder);

}  // namespace benchbench
