// Where a run's results go, and what of it is still to do when it is resumed.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/app/command.h"
#include "harness/record/trial_record.h"
#include "harness/store/run_folder.h"

namespace benchbench {

inline constexpr std::string_view kRuns = "results/runs";  // of the working directory

// --out DIR, else results/runs/<scenario>-<local time> (for --resume without --out: the newest of
// the scenario's, if any; of those of one second, .2, .3, ..., the last).
std::string run_path(const Arguments& arguments, const std::string& scenario);

// --resume, and there is a run at run_path(). Where there is none, or one that ended before its
// plan was written, says so: it starts afresh.
bool resumes(const Arguments& arguments, const std::string& scenario);

// What runs it again when it is pasted into a shell: the scenario, and those of `options` that were
// given, but --out and --resume.
std::string run_command_text(const Arguments& arguments, std::span<const Option> options);

// What continues this run when it is pasted into a shell: all that it was given, and where it is.
// `options`: what it may be given.
std::string resume_command(const Arguments& arguments, std::span<const Option> options,
                           const std::string& folder);

// `stored` with the budget of the command that continues it, or without one: what was cut when it
// began stays cut.
Plan with_budget_of(Plan stored, const Plan& now);

// Refuses (UsageError, with the difference) where a stored run is of another build, machine or
// plan.
void check_same(const Journal& stored, const Plan& plan, const Environment& environment);

// Slots without a record of this plan that lasts: ABORTED ones run again, FAILED ones with
// `retry_failed`.
std::vector<PlannedRun> still_to_do(const Plan& plan, const std::vector<TrialRecord>& records,
                                    bool retry_failed);

// The last record of each planned run: what a retry replaced does not count.
std::vector<TrialRecord> latest_of_each(const std::vector<TrialRecord>& records);
// Of one record a slot. An ABORTED one was ended in its trial, and is run again.
std::size_t finished_trials(const std::vector<TrialRecord>& latest);

}  // namespace benchbench
