#include "harness/analysis/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "harness/analysis/statistics/difference.h"

namespace benchbench {

double mean_of(std::span<const double> values) noexcept {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) noexcept {
  if (values.size() < 2) return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double lower_median(std::vector<double> values) noexcept {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

Measured estimate_mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  return shift_of_pairs(values).interval();
}

Measured estimate_from_logs(std::span<const double> logs) {
  const Measured e = estimate_mean(logs);
  return e ? Measured(exp_of_logs(*e)) : e;
}

std::optional<PooledSpread> spread_within(std::span<const std::vector<double>> groups) {
  double squares = 0, freedom = 0;
  for (const auto& group : groups) {
    if (group.size() < 2) continue;
    const double s = standard_deviation(group), df = static_cast<double>(group.size() - 1);
    squares += s * s * df, freedom += df;
  }
  if (!(freedom > 0)) return std::nullopt;
  return PooledSpread{std::sqrt(squares / freedom), freedom};
}

Measured repeat_difference(std::span<const std::vector<double>> groups) {
  const auto spread = spread_within(groups);
  if (!spread) return std::nullopt;
  std::vector<double> seen;
  for (const auto& group : groups)
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = i + 1; j < group.size(); ++j)
        seen.push_back(std::abs(group[i] - group[j]));
  std::sort(seen.begin(), seen.end());
  const double half = Shift{0, std::numbers::sqrt2 * spread->deviation, spread->freedom, 0}.half();
  const double median = seen[(seen.size() - 1) / 2];
  return Estimate{std::expm1(half), std::expm1(median), std::expm1(seen.back()),
                  static_cast<std::uint32_t>(seen.size())};
}

double sign_test_p(std::size_t one, std::size_t other) {
  const std::size_t few = std::min(one, other), n = one + other;
  double ways = 1, sum = 0;
  for (std::size_t k = 0; k <= few; ++k) {
    sum += ways;
    ways *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return std::min(1.0, 2 * sum * std::exp2(-static_cast<double>(n)));
}

}  // namespace benchbench
