#include "harness/analysis/statistics/exact_tests.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace benchbench {
namespace {

// The values' indices, the least first.
std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

// Twice the mean rank of each value: whole numbers with ties too.
std::vector<std::uint32_t> doubled_ranks(const std::vector<double>& values) {
  const std::vector<std::size_t> order = ascending(values);
  std::vector<std::uint32_t> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i)
      ranks[order[i]] = static_cast<std::uint32_t>(from + to + 1);
    from = to;
  }
  return ranks;
}

// Of sums with weights, the share that lies at least as far from `middle` as `seen`.
double share_beyond(const std::vector<double>& weights, double middle, double seen) {
  double beyond = 0, all = 0;
  const double distance = std::abs(seen - middle);
  for (std::size_t sum = 0; sum < weights.size(); ++sum) {
    all += weights[sum];
    if (std::abs(static_cast<double>(sum) - middle) >= distance) beyond += weights[sum];
  }
  return all > 0 ? std::min(1.0, beyond / all) : 1.0;
}

// Above this many values counting takes seconds, and the normal curve is right to the third digit
// of any p that matters.
constexpr std::size_t kCounted = 200;

double normal_p(double middle, double seen, double variance) {
  // The 1 is half a rank, in doubled ranks.
  const double distance = std::max(0.0, std::abs(seen - middle) - 1);
  return variance > 0 ? std::min(1.0, std::erfc(distance / std::sqrt(2 * variance))) : 1.0;
}

// Σ (rank − mean)² of doubled ranks.
double spread_of(const std::vector<std::uint32_t>& ranks, double mean) {
  double sum = 0;
  for (const auto r : ranks) sum += (r - mean) * (r - mean);
  return sum;
}

}  // namespace

double signed_rank_p(std::span<const double> differences) {
  std::vector<double> sizes;
  std::vector<bool> above;
  for (const double d : differences)
    if (d != 0) sizes.push_back(std::abs(d)), above.push_back(d > 0);
  if (sizes.empty()) return 1;
  const auto ranks = doubled_ranks(sizes);
  const std::uint32_t total = std::accumulate(ranks.begin(), ranks.end(), 0u);
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (above[i]) seen += ranks[i];
  if (ranks.size() > kCounted) return normal_p(0.5 * total, seen, 0.25 * spread_of(ranks, 0));
  // Each rank is in the sum or not, both with one half: the chance of every sum, by adding one rank
  // after another.
  std::vector<double> chance(total + 1, 0.0);
  chance[0] = 1;
  for (const std::uint32_t rank : ranks)
    for (std::size_t sum = total + 1; sum-- > 0;)
      chance[sum] = 0.5 * (chance[sum] + (sum >= rank ? chance[sum - rank] : 0.0));
  return share_beyond(chance, 0.5 * total, seen);
}

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return 1;
  std::vector<double> pooled(a.begin(), a.end());
  pooled.insert(pooled.end(), b.begin(), b.end());
  const auto ranks = doubled_ranks(pooled);
  const std::uint32_t total = std::accumulate(ranks.begin(), ranks.end(), 0u);
  const std::size_t chosen = a.size();
  const auto seen =
      std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(chosen), 0u);
  const double middle =
      static_cast<double>(total) * static_cast<double>(chosen) / static_cast<double>(pooled.size());
  if (ranks.size() > kCounted) {
    const auto n = static_cast<double>(ranks.size()), k = static_cast<double>(chosen);
    return normal_p(middle, seen, k * (n - k) / (n * (n - 1)) * spread_of(ranks, total / n));
  }
  // In how many ways k of the ranks so far add up to each sum: none is above the sum of them all.
  // Fewer than `least` of them, with all that follow, are not as many as are chosen.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(total + 1, 0.0));
  ways[0][0] = 1;
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    all += ranks[i];
    const std::size_t left = ranks.size() - 1 - i, least = chosen > left ? chosen - left : 1;
    for (std::size_t k = std::min(i + 1, chosen); k >= least; --k)
      for (std::size_t sum = all + 1; sum-- > ranks[i];)
        ways[k][sum] += ways[k - 1][sum - ranks[i]];
  }
  return share_beyond(ways[chosen], middle, seen);
}

std::vector<double> false_discovery_rates(std::span<const double> p) {
  const std::vector<std::size_t> order = ascending(p);
  std::vector<double> q(p.size());
  double least = 1;
  for (std::size_t rank = p.size(); rank > 0; --rank) {
    const std::size_t at = order[rank - 1];
    least = std::min(least, p[at] * static_cast<double>(p.size()) / static_cast<double>(rank));
    q[at] = least;
  }
  return q;
}

}  // namespace benchbench
