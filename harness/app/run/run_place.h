// Where a run's results go, and what of it is still to do when it is resumed.
#pragma once
#include <string>
#include <vector>

#include "harness/app/command.h"
#include "harness/record/trial_record.h"
#include "harness/store/run_folder.h"

namespace benchbench {

// --out DIR, else results/runs/<scenario>-<local time> (for --resume without --out: the newest of the scenario's, if any).
std::string run_path(const Arguments& arguments, const std::string& scenario);

// Refuses (UsageError, with the difference) where a stored run is of another build, machine or plan.
void check_same(const Journal& stored, const Plan& plan, const Environment& environment);

// Slots without a record that lasts: ABORTED ones run again, FAILED ones with `retry_failed`.
std::vector<PlannedRun> still_to_do(const Plan& plan, const std::vector<TrialRecord>& records, bool retry_failed);

// The last record of each planned run: what a retry replaced does not count.
std::vector<TrialRecord> latest_of_each(const std::vector<TrialRecord>& records);

}  // namespace benchbench
