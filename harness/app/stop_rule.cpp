#include "harness/app/stop_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/statistics.h"

namespace benchbench {
namespace {

bool usable(const TrialRecord& r) {
  return (r.status == Status::valid || r.status == Status::noisy) && r.facts.window_ns > 0 && r.facts.samples > 0;
}

bool decides(const Plan& plan, const Trial& trial) {
  if (trial.skip || !trial.extra.empty()) return false;
  const auto has_pipeline = [](const Trial& t) { return t.mode == Mode::pipeline && t.extra.empty() && !t.skip; };
  return trial.mode == Mode::pipeline || std::none_of(plan.trials.begin(), plan.trials.end(), has_pipeline);
}

// Logs of rates by trial, one a round: of the anchor's repeats their mean.
using Rounds = std::map<std::uint32_t, std::vector<double>>;
std::map<std::uint32_t, Rounds> rates_by_trial(const Plan& plan, std::span<const TrialRecord> records,
                                               std::uint32_t complete) {
  std::map<std::uint32_t, Rounds> rates;
  for (const TrialRecord& r : records) {
    if (!usable(r) || r.slot.round >= complete || !decides(plan, plan.trials.at(r.slot.trial))) continue;
    rates[r.slot.trial][r.slot.round].push_back(
        std::log(static_cast<double>(r.facts.samples) / static_cast<double>(r.facts.window_ns)));
  }
  return rates;
}

// Half the interval as a share; 0 of fewer than two rounds, which nobody waits for.
double half_width(const Rounds& rounds) {
  std::vector<double> logs;
  for (const auto& [round, values] : rounds) logs.push_back(mean_of(values));
  if (logs.size() < 2) return 0;
  const double n = static_cast<double>(logs.size());
  return std::expm1(t_factor(n - 1) * standard_deviation(logs) / std::sqrt(n));
}

}  // namespace

std::optional<std::string> enough_rounds(const Plan& plan, std::span<const TrialRecord> records,
                                         std::uint32_t complete) {
  const SettingsMap& base = plan.scenario.base;
  if (!base.has("measure.stop_at") || complete < std::max(2u, plan.rounds)) return std::nullopt;
  const double wanted = base.real("measure.stop_at");
  double widest = 0;
  for (const auto& [trial, rounds] : rates_by_trial(plan, records, complete)) widest = std::max(widest, half_width(rounds));
  if (widest > wanted) return std::nullopt;
  return fmt::format("{} rounds are enough: every rate's 95 % interval is within {:.2g} % (asked: {:.2g} %)", complete,
                     100 * widest, 100 * wanted);
}

}  // namespace benchbench
