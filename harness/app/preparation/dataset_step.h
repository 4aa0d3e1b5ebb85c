// Makes what a plan needs before its trials, in a child, with progress.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/preparation/price_file.h"
#include "harness/record/trial.h"

namespace benchbench {

class RunTime;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// Returns when every data set of the plan lies there; false where the deadline came first, with
// what was made by then kept. `prices` learns what making took, where it is given. Throws
// ScenarioError, StoreError, InterruptedError; PartError where the child died. Progress goes to
// standard error.
bool make_datasets(const Plan& plan, const std::string& cache_folder, Prices* prices = nullptr,
                   Deadline deadline = {});

// Makes the data of a plan, as make_datasets() does. `time`, where it is given, is the run's:
// making data is none of its own work.
bool make_data(PreparedPlan& prepared, Deadline deadline = {}, RunTime* time = nullptr);
// The same. Where the user's code waits for its data, it is looked at then, and the plan is made
// again with them, for what is left of the run's time.
bool make_ready(const Arguments& arguments, PreparedPlan& prepared, Deadline deadline = {},
                RunTime* time = nullptr);

// Builds results.h5 from a run's journal in a child. StoreError where that failed.
void export_in_child(const std::string& run_folder);

}  // namespace benchbench
