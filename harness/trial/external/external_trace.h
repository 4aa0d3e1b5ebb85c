// A window of the user's own code for a trace viewer.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/part/external.h"

namespace benchbench {

// The raw series "trace": the wait and the step of each batch, one after the other, each segment
// from its own begin on; and the last batches of each worker that were begun in the window.
std::vector<std::int64_t> trace_of(const ExternalResult& result);

}  // namespace benchbench
