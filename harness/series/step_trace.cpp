#include "harness/series/step_trace.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "harness/series/periods.h"

namespace benchbench {
namespace {

constexpr std::size_t kPairs = StepTrace::kBins * (StepTrace::kBins - 1) / 2;

// Fewer values than these are too few for ranks to prove anything.
constexpr std::size_t kMin = 8;

// Two-sided points of the normal distribution and of Student's t with 1 to 5 degrees of freedom:
// those of 3 to 7 values.
struct Points {
  double normal;
  std::array<double, kMin - 3> t;
};
constexpr Points kAt95{1.959964, {12.706, 4.303, 3.182, 2.776, 2.571}};
constexpr Points kAt999{3.290527, {636.619, 31.599, 12.924, 8.610, 6.869}};

// Least squares; 0 where a t test does not tell the line from a level one.
double straight_line(std::span<const double> y, const Points& points) noexcept {
  const auto n = static_cast<double>(y.size());
  double mean = 0;
  for (const double value : y) mean += value / n;
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double x = static_cast<double>(i) - (n - 1) / 2;
    xx += x * x;
    xy += x * (y[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  const double slope = xy / xx;
  const double error = std::sqrt(std::max(0.0, yy - slope * xy) / (n - 2) / xx);
  return std::abs(slope) > points.t[y.size() - 3] * error ? slope : 0;
}

// The median of the lines through all pairs (Theil, Sen); 0 where Kendall's test does not tell it
// from a level one.
double median_line(std::span<const double> y, const Points& points) {
  std::array<double, kPairs> slopes;
  std::size_t pairs = 0;
  double rising = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = i + 1; j < y.size(); ++j) {
      rising += (y[j] > y[i]) - (y[j] < y[i]);
      slopes[pairs++] = (y[j] - y[i]) / static_cast<double>(j - i);
    }
  const auto n = static_cast<double>(y.size());
  const double spread = std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  if (std::abs(rising) - 1 <= points.normal * spread) return 0;
  return middle_of(std::span(slopes).first(pairs));
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
    bins_[i] = {bins_[2 * i].sum + bins_[2 * i + 1].sum,
                bins_[2 * i].count + bins_[2 * i + 1].count};
  used_ = kBins / 2;
  width_ *= 2;
}

std::size_t StepTrace::means(std::array<double, kBins>& mean) const noexcept {
  // Bins count alike, so one that is still filling up stays out.
  const std::size_t n = used_ > 0 && bins_[used_ - 1].count < width_ ? used_ - 1 : used_;
  for (std::size_t i = 0; i < n; ++i) mean[i] = bins_[i].sum / static_cast<double>(bins_[i].count);
  return n;
}

double StepTrace::slope_share(Certainty certainty) const noexcept {
  std::array<double, kBins> y;
  const std::size_t n = means(y);
  if (n < 3) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += y[i];
  if (sum <= 0) return 0;
  const std::span<const double> values(y.data(), n);
  const Points& points = certainty == Certainty::sure ? kAt999 : kAt95;
  const double slope = n < kMin ? straight_line(values, points) : median_line(values, points);
  return slope * static_cast<double>(n - 1) / (sum / static_cast<double>(n));
}

}  // namespace benchbench
