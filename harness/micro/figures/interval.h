// The interval of a ratio that was measured in pairs.
#pragma once
#include <span>

namespace benchbench::micro {

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
