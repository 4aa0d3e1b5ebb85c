#include "harness/app/preparation/run_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/plan/budget.h"
#include "harness/plan/price.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr double kGrace = 1.10;     // of the budget: a run ends within it
constexpr double kStopping = 0.02;  // of the budget, and what ending a trial takes
constexpr double kStopSeconds = 0.25;
constexpr double kMostOwn = 0.20;         // of the budget, whatever earlier runs took
constexpr double kFirstTrials = 1.0 / 3;  // of what is left
constexpr double kLeastOfThem = 1;        // seconds: with less a child would hardly start

}  // namespace

std::uint32_t least_rounds(const Plan& plan) noexcept {
  return std::min(plan.rounds, kRoundsToCompare);
}

double learned_own_seconds(double thought, double seen) noexcept {
  return (thought + std::min(seen, 2 * thought)) / 2;
}

double known_own_seconds(const PreparedPlan& p) {
  const auto own = p.context.prices.find(run_key(p.simulated));
  return own == p.context.prices.end() ? kRunSeconds : own->second.startup_seconds;
}

void learn_run_time(const PreparedPlan& p, double own, double all, double estimated) {
  Prices prices = p.context.prices;
  prices[run_key(p.simulated)] = {.startup_seconds =
                                      learned_own_seconds(known_own_seconds(p), own)};
  write_prices(p.cache_folder, p.environment.machine, prices);
  if (p.simulated) return;
  add_timed_run(
      p.cache_folder, p.environment.machine,
      {p.plan.scenario.source_digest, p.plan.digest, p.plan.scenario.name, estimated, all});
}

double parse_budget(const std::string& text) {
  const auto time = parse_duration(text);
  if (!time || time->count() <= 0)
    throw UsageError(fmt::format("--budget {}: expected a time such as 10min", text));
  return to_seconds(*time);
}

RunBudget RunTime::budget_of_trials(const PreparedPlan& p) const {
  const SettingsMap& base = p.plan.scenario.base;
  if (!base.has(keys::measure.budget)) return {};
  RunBudget left = left_of(to_seconds(base.get(keys::measure.budget)), known_own_seconds(p));
  left.least_rounds = least_rounds(p.plan);
  left.planned = p.trial_seconds;
  return left;
}

RunBudget RunTime::left_of(double budget, double own_seconds) const {
  const double gone = seconds() + std::min(own_seconds, kMostOwn * budget);
  RunBudget left;
  left.aim = std::max(budget - gone, 1e-3);  // 0 would be none at all
  left.most = std::max(kGrace * budget - gone - kStopping * budget - kStopSeconds, left.aim);
  return left;
}

Deadline RunTime::deadline(const SettingsMap& base) const {
  if (!base.has(keys::measure.budget)) return {};
  return deadline_of(to_seconds(base.get(keys::measure.budget)));
}

Deadline RunTime::deadline_of(double budget) const {
  const std::chrono::duration<double> most{budget * (kGrace - kStopping)};
  return start_ + std::chrono::duration_cast<Clock::duration>(most);
}

double RunTime::seconds_for_first_trials(const PreparedPlan& p) const {
  const double budget = to_seconds(p.plan.scenario.base.get(keys::measure.budget));
  const double share = kFirstTrials * (budget - seconds());
  return share < kLeastOfThem ? 0 : share;
}

}  // namespace benchbench
