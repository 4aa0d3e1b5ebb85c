#include "harness/micro/figures/interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace benchbench::micro {
namespace {

// 97.5 % points of Student's t by degrees of freedom, from 1; beyond the table the last is a little
// too wide.
constexpr double kT[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                         2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};

}  // namespace

Interval ratio_interval(std::span<const double> ratios) {
  const auto n = static_cast<double>(ratios.size());
  double sum = 0;
  for (const double r : ratios) sum += std::log(r);
  const double mean = sum / n;
  double squares = 0;
  for (const double r : ratios) squares += (std::log(r) - mean) * (std::log(r) - mean);
  const std::size_t freedom = std::min(ratios.size() - 1, std::size(kT));
  const double half = kT[freedom - 1] * std::sqrt(squares / (n - 1) / n);
  return {std::exp(mean - half), std::exp(mean), std::exp(mean + half)};
}

// Of n tosses of a fair coin at most k are heads: the chance that the median lies below the (k +
// 1)th.
Interval median_interval(std::span<const double> ratios) {
  std::vector<double> sorted(ratios.begin(), ratios.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  double term = std::pow(0.5, static_cast<double>(n));
  double below = term;
  std::size_t k = 0;  // the interval is from the (k + 1)th to the (n - k)th
  while (k < n) {
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    if (below + term > 0.025) break;
    below += term;
    ++k;
  }
  const double middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  return {sorted[k], middle, sorted[n - 1 - k]};
}

}  // namespace benchbench::micro
