#include "harness/app/compare/turn_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/units.h"

namespace benchbench {
namespace {

std::uint32_t number_of(const Turn& turn, const PlannedRun& run) noexcept {
  return 2 * run.trial + (turn.of_b ? 1 : 0);
}

}  // namespace

std::vector<double> planned_of_sides(std::span<const double> a, std::span<const double> b) {
  std::vector<double> planned(2 * std::max(a.size(), b.size()), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) planned[2 * i] = a[i];
  for (std::size_t i = 0; i < b.size(); ++i) planned[2 * i + 1] = b[i];
  return planned;
}

void TurnWatch::take_round(std::span<const Turn> turns) {
  runs_.clear(), firsts_.clear();
  for (const Turn& turn : turns) {
    firsts_.push_back(runs_.size());
    for (PlannedRun run : turn.runs) {
      run.trial = number_of(turn, run);
      runs_.push_back(run);
    }
  }
  watch_.go_on_with(runs_);
}

BudgetSays TurnWatch::look(std::size_t turn, double now) const {
  const std::size_t first = firsts_.at(turn);
  return first < runs_.size() ? watch_.look(first, now) : BudgetSays::go_on;
}

void TurnWatch::learn(const Turn& turn, double seconds) {
  double all = 0;
  for (const PlannedRun& run : turn.runs) all += watch_.expected(number_of(turn, run));
  std::vector<double> took;
  for (const PlannedRun& run : turn.runs)
    took.push_back(all > 0 ? seconds * watch_.expected(number_of(turn, run)) / all
                           : seconds / static_cast<double>(turn.runs.size()));
  for (std::size_t i = 0; i < took.size(); ++i)
    watch_.learn(number_of(turn, turn.runs[i]), took[i]);
}

TurnsEnd with_pairs_left(TurnsEnd end, std::size_t disturbed) {
  end.pairs_left = disturbed;
  if (disturbed == 0) end.budget = BudgetSays::go_on;
  return end;
}

std::string left_out_text(const TurnsEnd& end, std::uint32_t rounds, const std::string& budget) {
  if (end.budget == BudgetSays::go_on) return "";
  if (end.budget == BudgetSays::out_of_time)
    return fmt::format("the budget of {} ended after {} of {}", budget, end.rounds,
                       counted(rounds, "round"));
  if (end.rounds < rounds)
    return fmt::format("the budget of {} had no room for more than {} of {}", budget, end.rounds,
                       counted(rounds, "round"));
  if (end.pairs_unsure > 0)
    return fmt::format("the budget of {} had no room for more rounds of what is UNSURE", budget);
  return fmt::format("the budget of {} had no room to run {} again that other programs disturbed",
                     budget, counted(end.pairs_left, "pair"));
}

std::string rounds_cut_text(const TurnsEnd& end, std::uint32_t rounds, const std::string& budget) {
  return end.rounds < rounds ? left_out_text(end, rounds, budget) : "";
}

}  // namespace benchbench
