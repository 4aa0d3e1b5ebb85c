// What prefetch_factor, in_order and fewer workers would make of a stored run's step.
#pragma once
#include <optional>

#include "harness/analysis/external/external_windows.h"

namespace benchbench {

// nullopt where the trial is no pipeline with workers whose batches were timed. For prefetch_factor 1 to 16, the workers that were
// measured and powers of two below them, in order and not.
std::optional<DepthForetold> foretold_depths(const LoaderTrials& trial);

}  // namespace benchbench
