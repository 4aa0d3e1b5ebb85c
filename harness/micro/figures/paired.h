// Measuring what is to be compared in turns, so that a machine's moods hit all alike.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "harness/core/runtime.h"

namespace benchbench::micro {

// How much of a side that has come to its pace is timed.
struct SteadySlice {
  std::uint64_t warm_up;  // batches got before the clock starts: more than can be ready
  std::uint64_t max;      // batches, or
  Nanoseconds enough;     // so long, whichever comes first
};

// Seconds a batch. After the warm-up next() waits for each batch to be made, and what was ready is
// used up: what a side makes ahead of the clock is as much as it leaves behind.
template <class Next>
double steady_seconds_a_batch(const Runtime& runtime, const SteadySlice& slice, Next next) {
  for (std::uint64_t i = 0; i < slice.warm_up; ++i) next();
  std::uint64_t got = 0;
  const TimePoint start = runtime.now();
  Nanoseconds passed{0};
  while (got < slice.max && passed < slice.enough) {
    next();
    ++got;
    passed = runtime.now() - start;
  }
  return to_seconds(passed) / static_cast<double>(got);
}

// Seconds that the same amount of work took.
using Side = std::function<double()>;

// times[side][round]. Each round measures every side once, each time another one first; one more
// round before is not counted: caches, the CPU's clock, the allocator.
std::vector<std::vector<double>> in_rounds(int rounds, std::span<const Side> sides);

// over[i] / under[i].
std::vector<double> ratios_of(std::span<const double> over, std::span<const double> under);

struct Interval {
  double low, middle, high;
};

// Geometric mean of the ratios with its 95 % interval by t on their logarithms. At least two
// ratios, all positive.
Interval ratio_interval(std::span<const double> ratios);

// Median with its interval of at least 95 % by the ratios' order alone: one round that something
// fell into moves neither. Fewer than six ratios give their smallest and largest, which hold it
// less often. At least one.
Interval median_interval(std::span<const double> ratios);

}  // namespace benchbench::micro
