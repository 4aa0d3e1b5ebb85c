// How long a spin kernel of a given amount takes, as a line through what was measured.
#pragma once
#include <cstdint>
#include <span>

#include "harness/core/units.h"

namespace benchbench::cuda {

struct SpinPoint {
  std::uint64_t amount = 0;  // ticks of the kernel's timer
  Nanoseconds time{0};       // between the events before and behind it
};

// time = intercept + slope * amount.
struct SpinFit {
  double slope = 0;      // ns per tick
  double intercept = 0;  // ns: of a launch
  double residual = 0;   // the largest deviation of a point from the line, as a share of its time
  // Ticks that take `time` with their launch; 0 where the launch alone takes that.
  std::uint64_t amount_for(Nanoseconds time) const noexcept;
};

// Least squares of the relative deviations, so that short spins count as much as long ones. At
// least two different amounts, times above 0; what is no line (slope not above 0) has residual 1.
SpinFit fit_spin(std::span<const SpinPoint> points) noexcept;

}  // namespace benchbench::cuda
