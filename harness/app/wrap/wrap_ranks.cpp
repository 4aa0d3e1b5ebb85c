#include "harness/app/wrap/wrap_ranks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "harness/analysis/rates/window_rates.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/app/wrap/wrap_record.h"

namespace benchbench {
namespace {

std::uint32_t rank_number(const WrapProcess* rank) { return rank->hello.rank.value_or(0); }

// What share of F it waits for its loader.
std::optional<double> waits(const WrapProcess& rank) {
  double waited = 0, ns = 0;
  for (const SeenStretch& seen : rank.stretches)
    if (seen.stretch.kind == WrapKind::full) {
      waited += std::accumulate(seen.stretch.result.get_ns.begin(),
                                seen.stretch.result.get_ns.end(), 0.0);
      ns += measured_ns(seen.stretch.result);
    }
  return ns > 0 ? std::optional(waited / ns) : std::nullopt;
}

// As the report has it: the geometric mean of the rounds.
std::optional<double> loader_rate(const WrapProcess& rank) {
  std::vector<double> logs = rates_of(rank.stretches, WrapKind::loader);
  for (double& rate : logs) rate = std::log(rate);
  const Measured rate = estimate_from_logs(logs);
  return rate ? std::optional(rate->value) : std::nullopt;
}

// Whether `a` is slower, or as slow and the lower rank. One that has no L is not compared by it.
bool is_slower(const WrapProcess* a, const WrapProcess* b) {
  const auto of_a = loader_rate(*a), of_b = loader_rate(*b);
  if (of_a && of_b && *of_a != *of_b) return *of_a < *of_b;
  if (of_a.has_value() != of_b.has_value()) return of_a.has_value();
  if (!of_a && waits(*a) != waits(*b)) return waits(*a) > waits(*b);  // without F it comes last
  return rank_number(a) < rank_number(b);
}

RankRates rates_of_rank(const WrapProcess& rank, const WrapProcess* shown) {
  RankRates rates;
  rates.rank = rank_number(&rank);
  rates.reported = &rank == shown;
  rates.loader = rates_of(rank.stretches, WrapKind::loader);
  rates.trainer = rates_of(rank.stretches, WrapKind::trainer);
  rates.pipeline = rates_of(rank.stretches, WrapKind::full);
  rates.waited_share = waits(rank);
  return rates;
}

}  // namespace

std::vector<double> rates_of(const std::vector<SeenStretch>& stretches, WrapKind kind) {
  std::map<std::uint32_t, std::pair<double, double>> of_round;  // samples and ns
  for (const SeenStretch& seen : stretches)
    if (seen.stretch.kind == kind) {
      auto& [samples, ns] = of_round[seen.stretch.round];
      samples += static_cast<double>(seen.stretch.result.samples);
      ns += measured_ns(seen.stretch.result);
    }
  std::vector<double> rates;
  for (const auto& [round, sums] : of_round)
    if (const double rate = samples_per_second(sums.first, sums.second); rate > 0)
      rates.push_back(rate);
  return rates;
}

const WrapProcess* slowest_of(const std::vector<const WrapProcess*>& ranks) {
  return *std::ranges::min_element(ranks, is_slower);
}

std::vector<RankRates> rank_rates(std::vector<const WrapProcess*> ranks, const WrapProcess* shown) {
  if (ranks.size() < 2) return {};
  std::ranges::sort(ranks, {}, rank_number);
  std::vector<RankRates> rates;
  for (const WrapProcess* rank : ranks) rates.push_back(rates_of_rank(*rank, shown));
  return rates;
}

}  // namespace benchbench
