#include "harness/micro/figures/paired.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/statistics.h"

namespace benchbench::micro {

std::vector<std::vector<double>> in_rounds(int rounds, std::span<const Side> sides) {
  std::vector<std::vector<double>> times(sides.size());
  for (const Side& side : sides) side();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t turn = 0; turn < sides.size(); ++turn) {
      const std::size_t side = (turn + static_cast<std::size_t>(round)) % sides.size();
      times[side].push_back(sides[side]());
    }
  return times;
}

std::vector<double> ratios_of(std::span<const double> over, std::span<const double> under) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < over.size(); ++i) ratios.push_back(over[i] / under[i]);
  return ratios;
}

Interval ratio_interval(std::span<const double> ratios) {
  std::vector<double> logs;
  for (const double r : ratios) logs.push_back(std::log(r));
  const Estimate e = *estimate_from_logs(logs);
  return {e.low, e.value, e.high};
}

namespace {

// Returns how many of n values at either end lie outside of the interval: the chance that the
// median lies below the (k + 1)th is that of at most k heads in n tosses of a fair coin.
std::size_t count_outside(std::size_t n) {
  double term = std::pow(0.5, static_cast<double>(n));
  double below = term;
  std::size_t k = 0;
  while (k < n) {
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    if (below + term > 0.025) break;
    below += term;
    ++k;
  }
  return k;
}

}  // namespace

Interval median_interval(std::span<const double> ratios) {
  std::vector<double> sorted(ratios.begin(), ratios.end());
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size(), k = count_outside(n);
  const double middle = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  return {sorted[k], middle, sorted[n - 1 - k]};
}

}  // namespace benchbench::micro
