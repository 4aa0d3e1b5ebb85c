#include "harness/analysis/history/statistic.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

namespace benchbench {
namespace {

constexpr double kLimit = 2;  // noises
constexpr double kOutlier = 3;
constexpr double kLeastNoise = 0.002;
// Of |difference| of two values of normal noise 1, below its 80 % quantile 1.2816·√2: √2·2(φ(0) −
// φ(1.2816))/0.8.
constexpr double kMeanOfSmaller = 0.79;

// One insertion a night is what makes a look cheap: 5 years of 500 series are 900,000 of them.
void fill_medians(auto first, auto last, std::span<double> medians) {
  std::array<double, kHistoryWindow> sorted;
  std::size_t n = 0;
  for (; first != last; ++first, ++n) {
    std::size_t at = n;
    for (; at > 0 && sorted[at - 1] > *first; --at) sorted[at] = sorted[at - 1];
    sorted[at] = *first;
    medians[n + 1] = (sorted[n / 2] + sorted[(n + 1) / 2]) / 2;
  }
}

// Sums of what was limited to `limit` about the median; two at a time, since the compiler may not
// reorder sums itself.
double limited_mean(std::span<const double> values, double median, double limit) {
  double even = 0, odd = 0;
  std::size_t i = 0;
  for (; i + 1 < values.size(); i += 2) {
    even += std::min(limit, std::max(-limit, values[i] - median));
    odd += std::min(limit, std::max(-limit, values[i + 1] - median));
  }
  if (i < values.size()) even += std::min(limit, std::max(-limit, values[i] - median));
  return median + (even + odd) / static_cast<double>(values.size());
}

// What is left of values where outliers are left out: those further from their level than kOutlier
// deviations of what is left, three times over. Bad nights are slower, so that limiting them only
// would move the means: of 5 % of them, limited to 2 noises, as much as needs a t of 5.2 where 4.2
// would do.
class Kept {
 public:
  void add(std::span<const double> values, double level) {
    for (const double v : values) squares_[n_++] = (v - level) * (v - level);
  }
  // Of `lost` degrees of freedom.
  double deviation(double noise, std::size_t lost) const {
    for (int i = 0; i < 3; ++i) noise = once(kOutlier * kOutlier * noise * noise, lost);
    return noise;
  }

 private:
  double once(double most, std::size_t lost) const {
    double sum = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      sum += squares_[i] <= most ? squares_[i] : 0;
      kept += squares_[i] <= most;
    }
    return std::max(
        kLeastNoise,
        std::sqrt(sum / static_cast<double>(std::max<std::size_t>(kept, lost + 1) - lost)));
  }
  std::array<double, kHistoryWindow> squares_;
  std::size_t n_ = 0;
};

struct KeptMean {
  double mean = 0;
  std::size_t n = 0;
};

KeptMean kept_mean(std::span<const double> values, double level, double limit) {
  KeptMean out;
  for (const double v : values) {
    if (std::abs(v - level) > limit) continue;
    out.mean += v - level;
    ++out.n;
  }
  if (out.n) out.mean /= static_cast<double>(out.n);
  out.mean += level;
  return out;
}

double standard_error(std::size_t before, std::size_t after) {
  return std::sqrt(1.0 / static_cast<double>(before) + 1.0 / static_cast<double>(after));
}

double limited_misfit(std::span<const double> values, double level, double limit) {
  double sum = 0;
  for (const double v : values) {
    const double d = std::clamp(v - level, -limit, limit);
    sum += d * d;
  }
  return sum;
}

// Of a side's nights, how many may lie at the other side's level, and what counts as that: nearer
// to it than this part of the change. Few nights must lie well away from it: with a quarter instead
// of 0.4, two bad nights among four with two that are a little slow are what most false alarms are
// made of.
struct Agreement {
  std::size_t may_disagree;
  double away;
};

Agreement agreement_of(std::size_t nights, bool slower) {
  if (nights < 7) return {slower ? 0u : 1u, 0.4};
  return {nights / 4, 0.25};
}

std::size_t disagreeing(std::span<const double> side, double other, double change, double away) {
  std::size_t n = 0;
  // `change` is from the other side to this one.
  for (const double v : side) n += (v - other) / change < away;
  return n;
}

bool sides_agree(std::span<const double> logs, const Split& split) {
  const double change = split.right - split.left;
  const Agreement right = agreement_of(logs.size() - split.before, change < 0);
  return disagreeing(logs.first(split.before), split.right, -change, 0.25) <= split.before / 4 &&
         disagreeing(logs.subspan(split.before), split.left, change, right.away) <=
             right.may_disagree;
}

double upper_median(std::span<const double> logs) {
  std::array<double, kHistoryWindow> values{};
  const auto end = std::ranges::copy(logs, values.begin()).out,
             middle = values.begin() + std::ssize(logs) / 2;
  std::nth_element(values.begin(), middle, end);
  return *middle;
}

// One step of fitting: what is further from `line` than `limit` counts as that far.
Line refitted(std::span<const double> logs, const Line& line, double limit) {
  const double n = static_cast<double>(logs.size()), centre = (n - 1) / 2;
  double sum = 0, moment = 0, spread = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double x = static_cast<double>(i) - centre, fit = line.middle + line.slope * x;
    const double y = fit + std::clamp(logs[i] - fit, -limit, limit);
    sum += y;
    moment += x * y;
    spread += x * x;
  }
  return {sum / n, moment / spread};
}

}  // namespace

double night_noise(std::span<const double> logs) {
  std::array<double, kHistoryWindow> apart{};
  const std::size_t n = logs.size() - 1, kept = n - n / 5;
  for (std::size_t i = 0; i < n; ++i) apart[i] = std::abs(logs[i + 1] - logs[i]);
  std::nth_element(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(kept - 1),
                   apart.begin() + static_cast<std::ptrdiff_t>(n));
  const double mean =
      std::accumulate(apart.begin(), apart.begin() + static_cast<std::ptrdiff_t>(kept), 0.0) /
      static_cast<double>(kept);
  return std::max(kLeastNoise, mean / kMeanOfSmaller);
}

Splits::Splits(std::span<const double> logs, double noise) : logs_(logs), noise_(noise) {
  assert(logs.size() <= kHistoryWindow);
  fill_medians(logs.begin(), logs.end(), left_);
  fill_medians(logs.rbegin(), logs.rend(), right_);
}

Split Splits::at(std::size_t before) const {
  const std::size_t after = logs_.size() - before;
  const auto left = logs_.first(before), right = logs_.last(after);
  Kept kept;
  kept.add(left, left_[before]);
  kept.add(right, right_[after]);
  const double deviation = kept.deviation(noise_, 2), limit = kOutlier * deviation;
  const KeptMean l = kept_mean(left, left_[before], limit),
                 r = kept_mean(right, right_[after], limit);
  Split s{before,
          l.mean,
          r.mean,
          deviation,
          0,
          limited_misfit(left, l.mean, kLimit * noise_) +
              limited_misfit(right, r.mean, kLimit * noise_),
          false};
  if (2 * l.n <= before || 2 * r.n <= after) return s;  // their medians are of no level
  s.t = std::abs(s.right - s.left) / (deviation * standard_error(l.n, r.n));
  s.agrees = std::abs(s.right - s.left) >= kMinDeviations * deviation && sides_agree(logs_, s);
  return s;
}

double level_misfit(std::span<const double> logs, double noise) {
  std::array<double, kHistoryWindow + 1> medians;
  fill_medians(logs.begin(), logs.end(), medians);
  return limited_misfit(logs, limited_mean(logs, medians[logs.size()], kLimit * noise),
                        kLimit * noise);
}

Line line_through(std::span<const double> logs, double noise) {
  const double n = static_cast<double>(logs.size());
  Line line{upper_median(logs)};
  double limit = 4 * kLimit * noise;  // about the median at first: a line may lead away from it
  for (int i = 0; i < 3; ++i, limit = kLimit * noise) line = refitted(logs, line, limit);
  Kept kept;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double fit = line.middle + line.slope * (static_cast<double>(i) - (n - 1) / 2);
    const double d = std::clamp(logs[i] - fit, -limit, limit);
    line.misfit += d * d;
    kept.add(logs.subspan(i, 1), fit);
  }
  line.deviation = kept.deviation(noise, 2);
  line.t = std::abs(line.slope) * std::sqrt(n * (n * n - 1) / 12) / line.deviation;
  return line;
}

}  // namespace benchbench
