#include "harness/analysis/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

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

double t_factor(double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), 0.975);
}

Measured estimate_mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  const double mean = mean_of(values);
  double half = 0;
  if (values.size() > 1) {
    const double n = static_cast<double>(values.size());
    half = t_factor(n - 1) * standard_deviation(values) / std::sqrt(n);
  }
  return Estimate{mean, mean - half, mean + half, static_cast<std::uint32_t>(values.size())};
}

Measured estimate_from_logs(std::span<const double> logs) {
  Measured e = estimate_mean(logs);
  if (e) *e = {std::exp(e->value), std::exp(e->low), std::exp(e->high), e->n};
  return e;
}

std::int64_t percentile(std::span<const std::int64_t> sorted, double share) noexcept {
  const double n = static_cast<double>(sorted.size());
  // 0.99 × 100 is 99.00000000000001 in no double, but 0.07 × 100 is 7.000000000000001: the margin keeps the
  // rank.
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(share * n - 1e-9)));
  return sorted[std::min(rank, sorted.size()) - 1];
}

Distribution distribution_of(std::vector<std::int64_t> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  Distribution d;
  d.n = values.size();
  for (const auto v : values) d.mean += static_cast<double>(v);
  d.mean /= static_cast<double>(values.size());
  const auto at = [&](double share) { return static_cast<double>(percentile(values, share)); };
  d.p50 = at(0.50);
  d.p90 = at(0.90);
  d.p99 = at(0.99);
  d.max = static_cast<double>(values.back());
  return d;
}

Measured repeat_difference(std::span<const std::vector<double>> groups) {
  std::vector<double> seen;
  double squares = 0, freedom = 0;
  for (const auto& group : groups) {
    if (group.size() < 2) continue;
    const double s = standard_deviation(group);
    const double df = static_cast<double>(group.size() - 1);
    squares += s * s * df;
    freedom += df;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = i + 1; j < group.size(); ++j) seen.push_back(std::abs(group[i] - group[j]));
  }
  if (seen.empty()) return std::nullopt;
  std::sort(seen.begin(), seen.end());
  const double half = t_factor(freedom) * std::sqrt(2 * squares / freedom);
  const double median = seen[(seen.size() - 1) / 2];
  return Estimate{std::expm1(half), std::expm1(median), std::expm1(seen.back()),
                  static_cast<std::uint32_t>(seen.size())};
}

}  // namespace benchbench
