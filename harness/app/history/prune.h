// `benchbench history DIR --prune AGE`.
#pragma once
#include <string>

#include "harness/app/history/old_runs.h"

namespace benchbench {

// Deletes the folders in `folder` of the runs that `rule` does not keep; with `dry` none. What a
// history keeps of them stays in its index. Returns a line for each run that was deleted, or kept
// for a reason other than its age, and a last one. Throws UsageError if `folder` is a run's own or
// contains no run; StoreError, before it deletes anything, if the index cannot be written.
std::string prune_runs(const std::string& folder, const PruneRule& rule, bool dry);

}  // namespace benchbench
