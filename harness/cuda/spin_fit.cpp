#include "harness/cuda/spin_fit.h"

#include <algorithm>
#include <cmath>

namespace benchbench::cuda {
namespace {

double largest_deviation(const SpinFit& fit, std::span<const SpinPoint> points) noexcept {
  double largest = 0;
  for (const SpinPoint& p : points) {
    const auto time = static_cast<double>(p.time.count());
    largest = std::max(
        largest, std::abs(fit.intercept + fit.slope * static_cast<double>(p.amount) - time) / time);
  }
  return largest;
}

}  // namespace

std::uint64_t SpinFit::amount_for(Nanoseconds time) const noexcept {
  const double ticks = (static_cast<double>(time.count()) - intercept) / slope;
  return ticks > 0 ? static_cast<std::uint64_t>(ticks + 0.5) : 0;
}

SpinFit fit_spin(std::span<const SpinPoint> points) noexcept {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const SpinPoint& p : points) {
    if (p.time.count() <= 0) return {0, 0, 1};
    const auto x = static_cast<double>(p.amount), y = static_cast<double>(p.time.count());
    const double weight = 1 / (y * y);
    w += weight, wx += weight * x, wy += weight * y, wxx += weight * x * x, wxy += weight * x * y;
  }
  const double spread = w * wxx - wx * wx;
  if (!(spread > 1e-9 * w * wxx)) return {0, 0, 1};  // one amount only, but for rounding
  SpinFit fit;
  fit.slope = (w * wxy - wx * wy) / spread;
  fit.intercept = (wy - fit.slope * wx) / w;
  fit.residual = fit.slope > 0 ? largest_deviation(fit, points) : 1;
  return fit;
}

}  // namespace benchbench::cuda
