#include "harness/series/steadiness.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/series/periods.h"

namespace benchbench {
namespace {

constexpr double kSigmaOfMad = 1.4826;  // of a normal distribution
constexpr std::size_t kMaxBins = 64;
constexpr std::size_t kFolded = 1 << 14;  // steps that a short cycle is looked for in
constexpr double kErrors = 3.5;    // standard errors that prove something: 1 in 2000 by chance
constexpr double kMatters = 0.01;  // a spread below this share of the step is nobody's concern

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double spread_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

struct Clipped {
  std::vector<double> steps;
  double period = 0;  // of those that stand out
};

// Where those that stand out come at a period they are put back to the usual, else cut down to
// something near it.
Clipped clipped(std::span<const std::int64_t> steps) {
  const Usual usual = usual_of(steps);
  const double noise = 6 * kSigmaOfMad * usual.mad;
  const double stands_out = usual.median + std::max(noise, usual.median / 10);
  const double max = usual.median + std::max(noise, usual.median / 2);
  std::vector<std::uint64_t> positions;
  Clipped result{{steps.begin(), steps.end()}};
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (result.steps[i] > stands_out) positions.push_back(i);
  result.period = period_of(positions, steps.size());
  for (double& step : result.steps)
    step = result.period > 0 && step > stands_out ? usual.median : std::min(step, max);
  return result;
}

// Means of equally many steps, whole cycles of the period each.
std::vector<double> bins_of(std::span<const double> steps, double period) {
  std::size_t width = std::max<std::size_t>(1, (steps.size() + kMaxBins - 1) / kMaxBins);
  const auto cycle = static_cast<std::size_t>(std::max(1.0, std::round(period)));
  width = (width + cycle - 1) / cycle * cycle;
  std::vector<double> bins;
  for (std::size_t i = 0; i + width <= steps.size(); i += width)
    bins.push_back(mean_of(steps.subspan(i, width)));
  return bins;
}

// In standard errors: how far rising pairs outnumber falling ones (Kendall).
double trend_of(std::span<const double> y) {
  double rising = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = i + 1; j < y.size(); ++j) rising += (y[j] > y[i]) - (y[j] < y[i]);
  const auto n = static_cast<double>(y.size());
  return rising / std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
}

// Of the median line (Theil, Sen), a bin.
double slope_of(std::span<const double> y) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = i + 1; j < y.size(); ++j)
      slopes.push_back((y[j] - y[i]) / static_cast<double>(j - i));
  return middle_of(slopes);
}

// Equal values share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> y) {
  std::vector<double> sorted(y.begin(), y.end());
  std::ranges::sort(sorted);
  std::vector<double> ranks;
  for (const double value : y) {
    const auto [first, last] = std::ranges::equal_range(sorted, value);
    ranks.push_back(static_cast<double>((first - sorted.begin()) + (last - sorted.begin()) - 1) /
                    2);
  }
  return ranks;
}

// How much neighbours differ, beside how much all do (von Neumann): 2 where they have nothing to do
// with each other.
double neighbours_of(std::span<const double> y) {
  const double mean = mean_of(y);
  double steps = 0, around = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i > 0) steps += (y[i] - y[i - 1]) * (y[i] - y[i - 1]);
    around += (y[i] - mean) * (y[i] - mean);
  }
  return around > 0 ? steps / around : 2;
}

// Do neighbours resemble each other more than chance has it? By ranks (Bartels); by values where
// those leave no doubt, as a late change of level: to ranks it is one of many.
bool hangs_together(std::span<const double> y) {
  const double error = std::sqrt(4 / static_cast<double>(y.size()));
  return neighbours_of(ranks_of(y)) < 2 - kErrors * error || neighbours_of(y) < 2 - 5.5 * error;
}

// Between the highest and the lowest of eight parts of the window, by their medians.
double wander_of(std::span<const double> y) {
  const std::size_t part = std::max<std::size_t>(1, y.size() / 8);
  std::vector<double> values(y.begin(), y.end()), levels;
  for (std::size_t i = 0; i + part <= y.size(); i += part)
    levels.push_back(middle_of(std::span(values).subspan(i, part)));
  const auto [min, max] = std::ranges::minmax(levels);
  return max - min;
}

// What a line leaves is noise, or next to nothing.
bool is_straight(std::span<const double> y, double slope) {
  std::vector<double> rest(y.begin(), y.end());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= slope * static_cast<double>(i);
  return spread_of(rest) < 0.2 * spread_of(y) || !hangs_together(rest);
}

// steady where the level stays.
SteadinessKind drift_of(std::span<const double> y, double limit) {
  if (y.size() < 8 || !(spread_of(y) > 0)) return SteadinessKind::steady;
  const double mean = mean_of(y);
  const double slope = slope_of(y);
  const double rise = slope * static_cast<double>(y.size() - 1);
  if (std::abs(trend_of(y)) > kErrors && std::abs(rise) >= limit * mean)
    return is_straight(y, slope) ? SteadinessKind::slope : SteadinessKind::unsteady;
  return hangs_together(y) && wander_of(y) >= limit * mean ? SteadinessKind::unsteady
                                                           : SteadinessKind::steady;
}

}  // namespace

Steadiness steadiness_of(std::span<const std::int64_t> steps, double limit) {
  if (steps.size() < kMinForSteadiness) return {};
  Clipped series = clipped(steps);
  const std::span<const double> values(series.steps),
      folded = values.first(std::min(values.size(), kFolded));
  if (series.period == 0 && spread_of(folded) > kMatters * mean_of(folded))
    series.period = folded_period(folded);
  const SteadinessKind drift = drift_of(bins_of(values, series.period), limit);
  if (drift != SteadinessKind::steady || series.period == 0) return {drift};
  return {SteadinessKind::periodic, series.period};
}

}  // namespace benchbench
