// Are steps still getting faster or slower?
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "harness/core/units.h"

namespace benchbench {

// The durations of any number of steps in little room: at most 64 bins of equally many steps, the width
// doubling as it fills.
class StepTrace {
 public:
  void add(Nanoseconds step) noexcept;
  std::uint64_t steps() const noexcept { return steps_; }
  Nanoseconds time() const noexcept { return time_; }
  // How much the step time changed from the first to the last bin, as a share of its mean. 0 where noise
  // explains it at 95 %: three noisy steps prove nothing. From 8 bins on by ranks, so that a step or two that
  // the machine stalled are noise and not a drift.
  double slope_share() const noexcept;

  static constexpr std::size_t kBins = 64;

 private:
  struct Bin {
    double sum = 0;
    std::uint64_t count = 0;
  };
  void halve() noexcept;
  std::size_t means(std::array<double, kBins>& mean) const noexcept;

  std::array<Bin, kBins> bins_{};
  std::size_t used_ = 0;  // the last may be filling up
  std::uint64_t width_ = 1;
  std::uint64_t steps_ = 0;
  Nanoseconds time_{0};
};

struct WarmUpLimits {
  std::optional<Nanoseconds> fixed;  // this long, whatever the steps do
  Nanoseconds window{0};
  std::optional<Nanoseconds> cap;  // from the first step; else the larger of 2 windows and 10 steps past
                                   // those prefetched, which are few enough to need no cap of their own
  std::uint64_t prefetched = 1;  // steps that may run on batches made before the first step
  double slope = 0.05;           // the largest share that counts as steady
};

// Decides when the warm-up ends. The steps that the first fill of the queue feeds are never looked at: they
// show the trainer alone. After them, blocks of a quarter of a window and at least 3 steps, until one has no
// slope.
class WarmUp {
 public:
  explicit WarmUp(const WarmUpLimits& limits) noexcept : limits_(limits) {}
  // After each step. True: the window may begin.
  bool done_after(Nanoseconds step) noexcept;
  bool steady() const noexcept { return steady_; }
  std::uint64_t steps() const noexcept { return steps_; }
  Nanoseconds time() const noexcept { return time_; }

 private:
  bool capped() const noexcept;

  WarmUpLimits limits_;
  StepTrace block_;
  std::uint64_t looked_at_ = 0;  // steps past the prefetched ones, and how long they took
  Nanoseconds looked_at_time_{0};
  std::uint64_t steps_ = 0;
  Nanoseconds time_{0};
  bool steady_ = false;
};

}  // namespace benchbench
