#include "harness/trial/steady.h"

#include <algorithm>
#include <cmath>

namespace benchbench {
namespace {

// Two-sided 95 % point of Student's t, within 1 % above 10 degrees of freedom (Abramowitz & Stegun 26.7.5, first terms).
double t_95(std::size_t freedom) noexcept {
  constexpr double small[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (freedom <= std::size(small)) return small[freedom - 1];
  constexpr double z = 1.959964;
  return z + (z * z * z + z) / (4.0 * static_cast<double>(freedom));
}

}  // namespace

void StepTrace::add(Nanoseconds step) noexcept {
  if (used_ == 0 || bins_[used_ - 1].count == width_) {
    if (used_ == kBins) halve();
    bins_[used_++] = {};
  }
  Bin& bin = bins_[used_ - 1];
  bin.sum += static_cast<double>(step.count());
  ++bin.count;
  ++steps_;
  time_ += step;
}

void StepTrace::halve() noexcept {
  for (std::size_t i = 0; i < kBins / 2; ++i)
    bins_[i] = {bins_[2 * i].sum + bins_[2 * i + 1].sum, bins_[2 * i].count + bins_[2 * i + 1].count};
  used_ = kBins / 2;
  width_ *= 2;
}

double StepTrace::slope_share() const noexcept {
  // Bins count alike, so one that is still filling up stays out.
  const std::size_t n = used_ > 0 && bins_[used_ - 1].count < width_ ? used_ - 1 : used_;
  if (n < 3) return 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < n; ++i) mean_y += bins_[i].sum / static_cast<double>(bins_[i].count);
  mean_y /= static_cast<double>(n);
  const double mean_x = static_cast<double>(n - 1) / 2;
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i) - mean_x;
    const double y = bins_[i].sum / static_cast<double>(bins_[i].count) - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (mean_y <= 0) return 0;
  const double slope = xy / xx;
  const double left = std::max(0.0, yy - slope * xy);
  const double error = std::sqrt(left / static_cast<double>(n - 2) / xx);
  if (std::abs(slope) <= t_95(n - 2) * error) return 0;
  return slope * static_cast<double>(n - 1) / mean_y;
}

bool WarmUp::capped() const noexcept {
  if (limits_.cap) return time_ >= *limits_.cap;
  return time_ >= 2 * limits_.window && steps_ >= 10;
}

bool WarmUp::done_after(Nanoseconds step) noexcept {
  ++steps_;
  time_ += step;
  if (limits_.fixed) {
    steady_ = true;
    return time_ >= *limits_.fixed;
  }
  if (steps_ > limits_.prefetched) {
    block_.add(step);
    if (block_.steps() >= 3 && block_.time() >= limits_.window / 4) {
      steady_ = std::abs(block_.slope_share()) <= limits_.slope;
      if (steady_) return true;
      block_ = {};
    }
  }
  return capped();
}

}  // namespace benchbench
