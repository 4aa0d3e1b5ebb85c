// The interval of a ratio that was measured in pairs.
#pragma once
#include <span>

namespace benchbench::micro {

struct Interval {
  double low, middle, high;
};

// Geometric mean of the ratios with its 95 % interval by t on their logarithms. At least two ratios, all
// positive.
Interval ratio_interval(std::span<const double> ratios);

}  // namespace benchbench::micro
