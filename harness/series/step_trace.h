// Are steps still getting faster or slower?
#pragma once
#include <array>
#include <cstdint>

#include "harness/core/units.h"

namespace benchbench {

// How surely noise must be ruled out before a slope counts. One noisy series in twenty has a likely
// one by chance, one in a thousand a sure one.
enum class Certainty : std::uint8_t { likely, sure };

// The durations of any number of steps in little room: at most 64 bins of equally many steps, the
// width doubling as it fills.
class StepTrace {
 public:
  void add(Nanoseconds step) noexcept;
  std::uint64_t steps() const noexcept { return steps_; }
  Nanoseconds time() const noexcept { return time_; }
  // How much the step time changed from the first to the last bin, as a share of its mean. 0 where
  // noise explains it: three noisy steps prove nothing. From 8 bins on by ranks, so that a step or
  // two that the machine stalled are noise and not a drift.
  double slope_share(Certainty certainty = Certainty::likely) const noexcept;

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

}  // namespace benchbench
