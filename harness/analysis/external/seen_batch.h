// A batch's times from the records of a loader in a process of its own.
#pragma once
#include <optional>

#include "harness/analysis/external/external_windows.h"
#include "harness/analysis/rates/worker_rates.h"

namespace benchbench {

// Means over the usable rounds; nullopt where one of its members is not known. The main thread's
// part is the step's own time, and what that thread runs for a batch in windows of the loader
// alone. Without workers it is the step's own time, and a worker's part is all of the wait.
std::optional<BatchTimes> seen_batch(const LoaderTrials& trial);

}  // namespace benchbench
