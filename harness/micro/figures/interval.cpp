#include "harness/micro/figures/interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/analysis/statistics/statistics.h"

namespace benchbench::micro {
Interval ratio_interval(std::span<const double> ratios) {
  std::vector<double> logs;
  for (const double r : ratios) logs.push_back(std::log(r));
  const Estimate e = *estimate_from_logs(logs);
  return {e.low, e.value, e.high};
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
