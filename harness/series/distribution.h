// Percentiles of a series of times.
#pragma once
#include <cstdint>
#include <vector>

namespace benchbench {

struct Distribution {  // of a series, ns; percentiles by the nearest rank
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
  std::uint64_t n = 0;
};

// By the nearest rank: p90 of 10 values is the 9th smallest. All zero for no values.
Distribution distribution_of(std::vector<std::int64_t> values);

}  // namespace benchbench
