// Percentiles of a series of times.
#pragma once
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

// By the nearest rank: p90 of 10 values is the 9th smallest. All zero for no values.
Distribution distribution_of(std::vector<std::int64_t> values);

}  // namespace benchbench
