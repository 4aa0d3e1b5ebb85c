// Makes what a plan needs before its trials, in a child, with progress.
#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "harness/app/preparation/price_file.h"
#include "harness/record/trial.h"

namespace benchbench {

class RunTime;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// By when data are to be there.
struct DataMaking {
  Deadline by = {};
  // A run's, whose budget gives the deadline; making data is none of its own work. May be null.
  RunTime* time = nullptr;
};

// Returns when every data set that the trials read is there; SKIPPED ones read none. `prices`
// learns what making took, where it is given. Throws ScenarioError, StoreError, InterruptedError;
// BudgetError where the deadline came first, with what was made by then kept; PartError where the
// child died. Progress goes to standard error.
void make_datasets(std::span<const Trial> trials, const std::string& cache_folder,
                   Prices* prices = nullptr, Deadline deadline = {});
// The same for trials of a scenario with this base.
void make_datasets(std::span<const Trial> trials, const std::string& cache_folder, Prices& prices,
                   const DataMaking& making, const SettingsMap& base);

// Builds results.h5 from a run's journal in a child. StoreError where that failed.
void export_in_child(const std::string& run_folder);

}  // namespace benchbench
