#include "harness/app/compare/run_in_turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/app/interrupt.h"
#include "harness/app/tell.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

class InTurn {
 public:
  InTurn(SideRun& a, SideRun* b, const TurnsHow& how)
      : a_(a), b_(b), how_(how), watch_(how.budget) {}

  TurnsEnd run() {
    const std::uint32_t rounds = a_.plan().rounds;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const auto of_a = runs_of_round(a_.plan(), round);
      const auto of_b = b_ ? runs_of_round(b_->plan(), round) : std::vector<PlannedRun>{};
      const auto turns = turns_of(of_a, of_b, how_.seed, round, how_.by_pairs);
      if (!has_room(turns)) return end_;
      if (!how_.quiet) tell_round(turns, round);
      if (!run_turns(turns)) return end_;
      ++end_.rounds;
      if (round == 0 && nothing_runs()) return end_;
    }
    if (b_ && how_.by_pairs) run_disturbed_again();
    return end_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  bool nothing_runs() const {
    return !a_.why_all_failed().empty() || (b_ && !b_->why_all_failed().empty());
  }

  bool has_room(const std::vector<Turn>& turns) {
    watch_.take_round(turns);
    end_.budget = watch_.look(0, now());
    return end_.budget == BudgetSays::go_on;
  }

  // Returns what one turn may take: a trial that runs on at the end of the grace is ABORTED.
  RunBudget left(double began) const {
    if (how_.budget.aim <= 0) return {};
    const double seconds = std::max(how_.budget.most - began, 1e-3);
    return {.aim = seconds, .most = seconds, .planned = {}};
  }

  // Returns false where it was stopped, or the budget ended.
  bool run_turns(const std::vector<Turn>& turns) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Turn& turn = turns[i];
      if (turn.of_b && !b_) continue;
      const double began = now();
      end_.budget = watch_.look(i, began);
      if (end_.budget != BudgetSays::go_on) return false;
      const SupervisorEnd end = (turn.of_b ? *b_ : a_).run(turn.runs, left(began));
      if (end == SupervisorEnd::stopped || interrupted()) return false;
      if (end != SupervisorEnd::complete) {
        end_.budget = watch_.end_at(i);
        return false;
      }
      watch_.learn(turn, now() - began);
    }
    return true;
  }

  // Says which round begins.
  void tell_round(const std::vector<Turn>& turns, std::uint32_t round) const {
    const bool by_round = b_ && turns.size() == 2;
    tell(fmt::format("  round {} of {}{}\n", round + 1, a_.plan().rounds,
                     !by_round            ? ""
                     : turns.front().of_b ? ": B, A"
                                          : ": A, B"));
  }

  std::vector<PlannedRun> disturbed(std::uint32_t round) const {
    return runs_again({a_.plan(), a_.records()}, {b_->plan(), b_->records()}, round);
  }

  void run_disturbed_again() {
    const std::uint32_t rounds = a_.plan().rounds;
    for (std::uint32_t round = rounds; round < kMostRounds * rounds; ++round) {
      const auto again = disturbed(round);
      if (again.empty()) return;
      const auto turns = turns_of(again, again, how_.seed, round, true);
      if (!has_room(turns)) return leave(round);
      if (!how_.quiet)
        tell(fmt::format("  round {}, {} at most: {} again, since other programs disturbed {}\n",
                         round + 1, kMostRounds * rounds, counted(again.size(), "pair"),
                         again.size() == 1 ? "it" : "them"));
      if (!run_turns(turns)) return leave(round + 1);
    }
  }

  // Counts what would run again in that round, where the budget ended before it.
  void leave(std::uint32_t round) {
    if (end_.budget != BudgetSays::go_on) end_ = with_pairs_left(end_, disturbed(round).size());
  }

  SideRun& a_;
  SideRun* b_;
  const TurnsHow& how_;
  TurnWatch watch_;
  TurnsEnd end_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

TurnsEnd run_in_turn(SideRun& a, SideRun* b, const TurnsHow& how) {
  return InTurn(a, b, how).run();
}

}  // namespace benchbench
