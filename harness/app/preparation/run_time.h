// A run's wall time: what of its budget is left, and how much of it is its own work.
#pragma once
#include <chrono>
#include <optional>

#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/prepared_plan.h"
#include "harness/core/units.h"
#include "harness/process/budget_watch.h"

namespace benchbench {

// Rounds without which the budget ended before the minimum: two, or what was asked for where that
// is less.
std::uint32_t least_rounds(const Plan& plan) noexcept;

// The run's own seconds to reckon with from now on: halfway to what was seen, and of that at most
// twice what was thought, so that one run that was held up does not cost later ones their budget.
double learned_own_seconds(double thought, double seen) noexcept;
// What is known of them on this machine.
double known_own_seconds(const PreparedPlan& p);

// Keeps what a run took, in seconds, for later estimates: `own` is its own work, `all` the whole,
// `estimated` what the whole was thought to take. Best effort, as write_prices().
void learn_run_time(const PreparedPlan& p, double own, double all, double estimated);

// Returns the seconds of --budget, "10min". UsageError: it is no time above 0.
double parse_budget(const std::string& text);

class RunTime {
 public:
  double seconds() const { return seconds_since(start_); }  // since the run began
  // Spent on trials and on making data: the rest is the run's own.
  void not_own(double seconds) noexcept { not_own_ += seconds; }
  double own_seconds() const { return seconds() - not_own_; }
  // Of measure.budget for the trials, counted from now; the report's time is taken off, a fifth of
  // it at most. None without one.
  RunBudget budget_of_trials(const PreparedPlan& p) const;
  // Returns when a run of a scenario with this base ends at the latest.
  Deadline deadline(const SettingsMap& base) const;
  // The same of a budget in seconds that is not a plan's, whatever the trials: a fifth of it at
  // most is taken off for `own_seconds`.
  RunBudget left_of(double budget, double own_seconds) const;
  Deadline deadline_of(double budget) const;
  // Returns the seconds that first trials may take of measure.budget before the plan is made again:
  // 0 where too little is left for it.
  double seconds_for_first_trials(const PreparedPlan& p) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double not_own_ = 0;
};

}  // namespace benchbench
