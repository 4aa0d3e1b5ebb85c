#include "harness/analysis/rules/stopping.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// Half of the 95 % interval, as a share; no value under two.
std::optional<double> half_share(std::span<const double> logs) {
  if (logs.size() < 2) return std::nullopt;
  return std::expm1(shift_of_pairs(logs).half());
}

// The rates that are waited for: every pipeline's, or every trial's where no pipeline is measured.
std::vector<std::uint32_t> deciding_trials(const Plan& plan) {
  std::vector<std::uint32_t> pipelines, all;
  for (const Trial& trial : plan.trials) {
    if (trial.skip || trial.ablation) continue;
    all.push_back(trial.index);
    if (trial.mode == Mode::pipeline) pipelines.push_back(trial.index);
  }
  return pipelines.empty() ? all : pipelines;
}

std::vector<double> logs_of(const JudgedTrials& trials, std::uint32_t trial,
                            std::uint32_t complete) {
  std::vector<double> logs;
  for (const auto& [round, log] : trials.log_rates(trial))
    if (round < complete) logs.push_back(log);
  return logs;
}

// Returns true if each rate that has an interval is narrow enough; `widest` becomes the widest of
// these, and stays empty where everything failed.
bool are_all_narrow(const Plan& plan, const JudgedTrials& trials, StoppingState& state) {
  bool narrow = true;
  for (const std::uint32_t trial : deciding_trials(plan)) {
    const auto logs = logs_of(trials, trial, state.rounds);
    const auto half = half_share(logs);
    if (!half) continue;
    state.widest = std::max(state.widest.value_or(0), *half);
    narrow = narrow && narrow_enough(logs, state.asked);
  }
  return narrow;
}

// Says that there is nothing to wait for, too, if everything failed.
StoppingState by_interval(StoppingState state, const Plan& plan,
                          std::span<const TrialRecord> records) {
  const SettingsMap& base = plan.scenario.base;
  state.asked = base.get_if(keys::measure.stop_at).value_or(0);
  const auto most = base.get_if(keys::measure.max_rounds).value_or(plan.rounds);
  const bool narrow = are_all_narrow(plan, JudgedTrials(plan, records), state);
  if (state.rounds >= std::max(plan.rounds, kFirstLook + kLooksThatAgree - 1) && narrow &&
      state.widest)
    state.enough = Enough::narrow;
  else if (state.rounds >= std::max(most, plan.rounds))
    state.enough = Enough::max_rounds;
  return state;
}

}  // namespace

StoppingRule stopping_rule_of(const Plan& plan) noexcept {
  return plan.scenario.base.given(keys::measure.stop_at) ? StoppingRule::interval
                                                         : StoppingRule::fixed;
}

bool narrow_enough(std::span<const double> logs, double share) {
  if (logs.size() < kFirstLook + kLooksThatAgree - 1) return false;
  for (std::size_t back = 0; back < kLooksThatAgree; ++back)
    if (*half_share(logs.first(logs.size() - back)) > share) return false;
  return true;
}

StoppingState stopping_state(StoppingRule rule, const Plan& plan,
                             std::span<const TrialRecord> records, std::uint32_t complete,
                             double spent, double budget) {
  StoppingState state{.rounds = complete, .widest = std::nullopt, .spent = spent, .budget = budget};
  if (rule == StoppingRule::interval) return by_interval(state, plan, records);
  if (rule == StoppingRule::budget && complete >= 2 && spent + spent / complete > budget)
    state.enough = Enough::budget;
  if (rule == StoppingRule::fixed && complete >= plan.rounds) state.enough = Enough::planned_rounds;
  return state;
}

}  // namespace benchbench
