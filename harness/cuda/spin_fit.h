// Fits a plane through what spin kernels of given amounts took, alone and one behind another.
#pragma once
#include <cstdint>
#include <span>

#include "harness/core/units.h"

namespace benchbench::cuda {

// Equal kernels, one right behind the other.
struct SpinTrain {
  std::uint64_t amount = 0;   // of each, in ticks of the kernel's timer
  std::uint32_t kernels = 1;  // at least 1
  Nanoseconds time{0};        // from the event before them to the event behind them
};

// time = event + kernels * (kernel + slope * amount).
struct SpinFit {
  double slope = 0;     // ns per tick
  double kernel = 0;    // ns that a kernel takes besides its ticks
  double event = 0;     // ns that an event with a time takes of its stream
  double residual = 0;  // the largest deviation of a train from the plane, as a share of its time
  // Ticks that take `time` together with the kernel and with so many events before it; 0 where
  // these alone take that.
  std::uint64_t amount_for(Nanoseconds time, std::uint32_t events) const noexcept;
};

// Least squares of the relative deviations, so that short trains count as much as long ones. At
// least two different amounts and two different numbers of kernels, times above 0; what is no plane
// (slope not above 0) has residual 1.
SpinFit fit_spin(std::span<const SpinTrain> trains) noexcept;

}  // namespace benchbench::cuda
