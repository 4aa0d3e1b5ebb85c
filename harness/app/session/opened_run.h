// A run's folder as its trials begin: a new one, or the one that is resumed.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "harness/app/preparation/prepared_plan.h"
#include "harness/record/trial_record.h"
#include "harness/store/run_folder.h"

namespace benchbench {

struct OpenedRun {
  RunFolder folder;
  std::vector<TrialRecord> records;  // the last one of each planned run
};

// Makes the folder of a new run. Throws as RunFolder::create().
OpenedRun begin_run(const std::string& path, const Plan& plan, const Environment& environment);
// Continues the run that is there, with the plan that it was begun with: prices learned since may
// cut a budget elsewhere. Standard error has a word of it. Throws as RunFolder::resume() and
// check_same().
OpenedRun resume_run(const std::string& path, PreparedPlan& prepared);

// `stored` with the budget of the command that continues it, or without one: what was cut when it
// began stays cut.
Plan with_budget_of(Plan stored, const Plan& now);

// Refuses (UsageError, with the difference) where a stored run is of another build, machine or
// plan.
void check_same(const Journal& stored, const Plan& plan, const Environment& environment);

// Returns those of `order` without a record of this plan that lasts: ABORTED ones run again, FAILED
// ones with `retry_failed`.
std::vector<PlannedRun> still_to_do(const Plan& plan, std::span<const PlannedRun> order,
                                    std::span<const TrialRecord> records,
                                    bool retry_failed = false);

// Returns the last record of each planned run: what a retry replaced does not count.
std::vector<TrialRecord> latest_of_each(const std::vector<TrialRecord>& records);
// Counts the records of one for each planned run that are not ABORTED: those run again.
std::size_t finished_trials(const std::vector<TrialRecord>& latest);

}  // namespace benchbench
