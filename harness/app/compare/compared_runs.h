// The two runs of a comparison, stored or just made.
#pragma once
#include <optional>
#include <string>

#include "harness/analysis/compare/compare_runs.h"
#include "harness/app/compare/compare_options.h"
#include "harness/app/preparation/run_time.h"
#include "harness/report/compare/compare_report.h"
#include "harness/store/run_folder.h"

namespace benchbench {

struct ComparedRuns {
  std::string folder_a, folder_b;
  Journal a, b;
  Relation relation = Relation::stored;
  std::vector<std::string> notes;
  std::string ended_early = {};  // how --budget ended before the least number of rounds; empty
                                 // where it did not
};

// Two folders of runs; one folder of an interleaved comparison, with its two. UsageError where a
// folder has no run, or one that cannot be read: of another version, damaged.
ComparedRuns read_runs(const std::vector<std::string>& folders);

// Runs A and B in turn, and stores them in DIR/a and DIR/b. `time` began with the command. Throws
// BudgetError where --budget ended before the data were there, InterruptedError where an interrupt
// ended that.
ComparedRuns run_interleaved(const Arguments& arguments, const CompareOptions& options,
                             const RunTime& time);

// Return what --budget leaves: no budget and no deadline without one.
RunBudget budget_of_turns(const CompareOptions& options, const RunTime& time, double own_seconds);
Deadline deadline_for(const CompareOptions& options, const RunTime& time);

// Beside a/ and b/ of an interleaved comparison.
void mark_interleaved(const std::string& folder);

// Throws UsageError for a key of --across that neither run has.
CompareReport report_of(const ComparedRuns& runs, const CompareOptions& options);

}  // namespace benchbench
