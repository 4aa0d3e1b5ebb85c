#include "harness/analysis/summary/shared_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "harness/analysis/statistics/difference.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

constexpr double kByChance = 0.001;

struct BothWays {
  std::vector<double> fresh, shared;  // logs of rates
};

// Returns the logs of rates by trial. A hand-over's process is always its own.
std::map<std::uint32_t, BothWays> measured_both_ways(const JudgedTrials& trials) {
  std::map<std::uint32_t, BothWays> found;
  for (const JudgedRecord& judged : trials.all()) {
    const auto& external = judged.record->facts.external;
    const auto rate = log_rate(judged.record->facts);
    if (!judged.usable() || !external || !rate) continue;
    BothWays& both = found[judged.record->planned.trial];
    (external->trials_before > 0 ? both.shared : both.fresh).push_back(*rate);
  }
  std::erase_if(found,
                [](const auto& at) { return at.second.fresh.empty() || at.second.shared.empty(); });
  return found;
}

// Student's t of two groups of one spread. Two records alone have none.
bool is_by_chance(const BothWays& both, double gap) {
  const auto n = static_cast<double>(both.fresh.size()),
             m = static_cast<double>(both.shared.size());
  const auto spread = spread_within(std::array{both.fresh, both.shared});
  if (!spread) return true;
  const double error = spread->deviation * std::sqrt(1 / n + 1 / m);
  return 2 * Shift{-std::abs(gap), error, spread->freedom, 0}.chance_above(0) > kByChance;
}

}  // namespace

std::optional<Warnings::SharedProcess> unlike_in_shared_process(const JudgedTrials& trials) {
  std::optional<Warnings::SharedProcess> worst;
  double most = std::log1p(kWorth);
  for (const auto& [trial, both] : measured_both_ways(trials)) {
    const double gap = mean_of(both.shared) - mean_of(both.fresh);
    if (std::abs(gap) < most || is_by_chance(both, gap)) continue;
    most = std::abs(gap);
    worst = {trial, std::expm1(gap)};
  }
  return worst;
}

bool is_shared_unchecked(const JudgedTrials& trials) {
  const bool shared = std::ranges::any_of(trials.all(), [](const JudgedRecord& judged) {
    const auto& external = judged.record->facts.external;
    return judged.usable() && external && external->trials_before > 0;
  });
  return shared && measured_both_ways(trials).empty();
}

}  // namespace benchbench
