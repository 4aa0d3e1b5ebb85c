#include "harness/series/periods.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace benchbench {
namespace {

// What a median is taken of: enough for one within a percent of the spread.
constexpr std::size_t kLookedAt = 1 << 17;
// Of positions: enough to see a period, few enough to try every one.
constexpr std::size_t kPositions = 256;
constexpr std::size_t kFirst = 16;  // gaps between the first so many are tried

struct Chain {
  std::uint64_t hits = 0;
  std::uint64_t missed = 0;
  std::uint64_t first = 0, last = 0;
};

// From `start` on, one period after the other, each counted from where the last one was found.
Chain chain_of(std::span<const std::uint64_t> positions, std::size_t start, std::uint64_t period,
               std::uint64_t off) {
  Chain chain{.hits = 1, .first = positions[start], .last = positions[start]};
  std::uint64_t next = positions[start] + period;
  std::uint64_t missed = 0;  // since the last hit
  for (auto at = positions.begin() + static_cast<std::ptrdiff_t>(start);
       next <= positions.back() + off;) {
    at = std::lower_bound(at, positions.end(), next - off * (missed + 1));
    if (at != positions.end() && *at <= next + off * (missed + 1)) {
      ++chain.hits;
      chain.missed += missed;
      missed = 0;
      chain.last = next = *at;
    } else {
      // Too many for it to convince any more; a long series of few stalls would be walked in vain.
      if (4 * (chain.missed + ++missed) > positions.size()) break;
    }
    next += period;
  }
  chain.missed += missed;
  return chain;
}

bool convinces(const Chain& chain, std::uint64_t fewest, std::size_t positions,
               std::uint64_t seen) {
  return chain.hits >= fewest && 4 * chain.missed <= chain.hits && 2 * chain.hits > positions &&
         2 * (chain.last - chain.first) >= seen;
}

std::set<std::uint64_t> gaps_of(std::span<const std::uint64_t> positions) {
  std::set<std::uint64_t> gaps;
  for (std::size_t i = 0; i < std::min(kFirst, positions.size()); ++i)
    for (std::size_t j = i + 1; j < std::min(i + 5, positions.size()); ++j)
      if (positions[j] - positions[i] >= 2) gaps.insert(positions[j] - positions[i]);
  return gaps;
}

// Of the chains that convince, the one that explains most; one without hits where none does.
Chain best_chain(std::span<const std::uint64_t> positions, std::uint64_t seen, bool exact) {
  Chain best;
  for (const std::uint64_t gap : gaps_of(positions))
    for (std::size_t start = 0; start < std::min(kFirst, positions.size()); ++start) {
      const Chain chain = chain_of(positions, start, gap, exact ? 0 : gap / 50);
      if (convinces(chain, exact ? 4 : 6, positions.size(), seen) &&
          chain.hits - chain.missed > best.hits - best.missed)
        best = chain;
    }
  return best;
}

// Share of the series' variance that the means of a period's phases explain, corrected for how many
// they are.
double explained(std::span<const double> series, std::size_t period, double mean, double variance) {
  std::vector<double> sum(period), count(period);
  for (std::size_t i = 0; i < series.size(); ++i) {
    sum[i % period] += series[i] - mean;
    count[i % period] += 1;
  }
  double between = 0;
  for (std::size_t p = 0; p < period; ++p) between += sum[p] * sum[p] / count[p];
  const auto n = static_cast<double>(series.size());
  const double by_chance = static_cast<double>(period - 1) / (n - 1);
  return (between / variance - by_chance) / (1 - by_chance);
}

}  // namespace

double middle_of(std::span<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

Usual usual_of(std::span<const std::int64_t> series) {
  if (series.empty()) return {};
  const std::size_t every = 1 + (series.size() - 1) / kLookedAt;
  std::vector<double> values;
  values.reserve(series.size() / every + 1);
  for (std::size_t i = 0; i < series.size(); i += every)
    values.push_back(static_cast<double>(series[i]));
  Usual usual;
  usual.median = middle_of(values);
  for (double& value : values) value = std::abs(value - usual.median);
  usual.mad = middle_of(values);
  return usual;
}

double period_of(std::span<const std::uint64_t> positions, std::uint64_t length) {
  const std::uint64_t seen = positions.size() > kPositions ? positions[kPositions - 1] : length;
  positions = positions.first(std::min(positions.size(), kPositions));
  for (const bool exact : {true, false}) {
    const Chain best = best_chain(positions, seen, exact);
    if (best.hits > 0)
      return static_cast<double>(best.last - best.first) /
             static_cast<double>(best.hits - 1 + best.missed);
  }
  return 0;
}

double folded_period(std::span<const double> series) {
  constexpr std::size_t longest = 32;
  double mean = 0, variance = 0;
  for (const double value : series) mean += value / static_cast<double>(series.size());
  for (const double value : series) variance += (value - mean) * (value - mean);
  if (!(variance > 0)) return 0;
  for (std::size_t period = 2; period <= std::min(longest, series.size() / 8); ++period)
    if (explained(series, period, mean, variance) >= 0.5) return static_cast<double>(period);
  return 0;
}

}  // namespace benchbench
