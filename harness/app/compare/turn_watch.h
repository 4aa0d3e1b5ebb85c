// The turns of a comparison that still start within --budget. Pure: knows no clock.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/app/compare/turns.h"
#include "harness/process/budget_watch.h"

namespace benchbench {

// Returns the seconds of one run of each trial of both sides, as RunBudget::planned of a TurnWatch.
std::vector<double> planned_of_sides(std::span<const double> a, std::span<const double> b);

// A BudgetWatch over the turns of one round after another.
class TurnWatch {
 public:
  explicit TurnWatch(RunBudget budget) : watch_(std::move(budget), {}) {}
  TurnWatch(const TurnWatch&) = delete;  // the watch looks at runs_
  TurnWatch& operator=(const TurnWatch&) = delete;
  // These turns are what is left to do.
  void take_round(std::span<const Turn> turns);
  // Asked before the turn at that place starts. A round starts only where all of its turns fit,
  // once the least number of rounds is over.
  BudgetSays look(std::size_t turn, double now) const;
  // The meaning of an end within that turn.
  BudgetSays end_at(std::size_t turn) const { return watch_.end_at(firsts_.at(turn)); }
  // A turn took so long. Its runs share the time as their plan does.
  void learn(const Turn& turn, double seconds);

 private:
  BudgetWatch watch_;
  std::vector<PlannedRun> runs_;     // of the round; the trials of B are numbered between A's
  std::vector<std::size_t> firsts_;  // of each turn, among runs_
};

// How the turns of a comparison ended.
struct TurnsEnd {
  std::uint32_t rounds = 0;               // complete ones, without those that ran again
  BudgetSays budget = BudgetSays::go_on;  // else it ended them
  std::size_t pairs_left = 0;             // pairs of a round that it left disturbed
  std::size_t pairs_unsure = 0;           // pairs whose comparison it left UNSURE
};

// Returns how rounds of pairs that ran again ended, with the number of pairs that are disturbed
// still: where that is 0, the budget has left nothing out.
TurnsEnd with_pairs_left(TurnsEnd end, std::size_t disturbed);

// "the budget of 2min had no room for more than 7 of 15 rounds"; empty where it ended nothing.
std::string left_out_text(const TurnsEnd& end, std::uint32_t rounds, const std::string& budget);
// The same where it cut the rounds that were asked for; empty where it left pairs disturbed alone.
std::string rounds_cut_text(const TurnsEnd& end, std::uint32_t rounds, const std::string& budget);

}  // namespace benchbench
