// Measuring what is to be compared in turns, so that a machine's moods hit all alike.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "harness/micro/interval.h"

namespace benchbench::micro {

// Seconds that the same amount of work took.
using Side = std::function<double()>;

// times[side][round]. Each round measures every side once, each time another one first; one more round before is not
// counted: caches, the CPU's clock, the allocator.
std::vector<std::vector<double>> in_rounds(int rounds, std::span<const Side> sides);

// over[i] / under[i].
std::vector<double> ratios_of(std::span<const double> over, std::span<const double> under);

}  // namespace benchbench::micro
