#include "harness/process/budget_watch.h"

namespace benchbench {

std::optional<double> BudgetWatch::deadline() const noexcept {
  return budget_.aim > 0 ? std::optional(budget_.most) : std::nullopt;
}

BudgetSays BudgetWatch::end_at(std::size_t at) const noexcept {
  return todo_[at].round >= budget_.least_rounds ? BudgetSays::enough : BudgetSays::out_of_time;
}

bool BudgetWatch::starts_round(std::size_t at) const noexcept {
  return at == 0 || todo_[at - 1].round != todo_[at].round;
}

BudgetSays BudgetWatch::look(std::size_t at, double now) const {
  if (budget_.aim <= 0) return BudgetSays::go_on;
  const PlannedRun& next = todo_[at];
  if (starts_round(at) && next.round >= budget_.least_rounds) {
    const double limit = next.round < budget_.wanted_rounds ? budget_.most : budget_.aim;
    return now + seconds_of_round(at) > limit ? BudgetSays::enough : BudgetSays::go_on;
  }
  const auto seen = seen_.find(next.trial);
  const double least = seen == seen_.end() ? 0 : seen->second;  // a guess is no reason to end a run
  const bool fits = now < budget_.most && now + least <= budget_.most;
  return fits ? BudgetSays::go_on : end_at(at);
}

void BudgetWatch::learn(std::uint32_t trial, double seconds) {
  seen_[trial] = seconds;
  took_ += seconds;
  was_planned_ += planned(trial);
}

double BudgetWatch::planned(std::uint32_t trial) const noexcept {
  return trial < budget_.planned.size() ? budget_.planned[trial] : 0;
}

double BudgetWatch::expected(std::uint32_t trial) const {
  if (const auto seen = seen_.find(trial); seen != seen_.end()) return seen->second;
  return planned(trial) * (was_planned_ > 0 ? took_ / was_planned_ : 1);
}

double BudgetWatch::seconds_of_round(std::size_t at) const {
  double seconds = 0;
  for (std::size_t i = at; i < todo_.size() && todo_[i].round == todo_[at].round; ++i)
    seconds += expected(todo_[i].trial);
  return seconds;
}

}  // namespace benchbench
