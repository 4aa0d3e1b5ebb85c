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
    if (b_ && how_.by_pairs && run_disturbed_again()) go_on_while_unsure();
    return end_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  double now() const { return seconds_since(start_); }

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
    tell("  round {} of {}{}\n", round + 1, a_.plan().rounds,
         !by_round            ? ""
         : turns.front().of_b ? ": B, A"
                              : ": A, B");
  }

  std::vector<PlannedRun> disturbed(std::uint32_t round) const {
    return runs_again({a_.plan(), a_.records()}, {b_->plan(), b_->records()}, round);
  }

  std::vector<PlannedRun> open(std::uint32_t round) const {
    return open_runs({a_.plan(), a_.records()}, {b_->plan(), b_->records()}, how_.gates, round);
  }

  std::uint32_t most_rounds() const { return kMostRounds * a_.plan().rounds; }

  // Runs pairs in the next round beyond those that were asked for. Returns false where it did not
  // end, as the budget did or an interrupt came.
  bool run_more(const std::vector<PlannedRun>& pairs, const std::string& why) {
    const auto turns = turns_of(pairs, pairs, how_.seed, next_, true);
    if (!has_room(turns)) return false;
    ++next_;
    if (!how_.quiet)
      tell("  round {}, {} at most: {} again, since {}\n", next_, most_rounds(),
           counted(pairs.size(), "pair"), why);
    return run_turns(turns);
  }

  bool run_disturbed_again() {
    for (next_ = a_.plan().rounds; next_ < most_rounds();) {
      const auto again = disturbed(next_);
      if (again.empty()) return true;
      if (run_more(again, again.size() == 1 ? "other programs disturbed it"
                                            : "other programs disturbed them"))
        continue;
      if (end_.budget != BudgetSays::go_on) end_ = with_pairs_left(end_, disturbed(next_).size());
      return false;
    }
    return true;
  }

  // Looks after as many rounds as were asked for, no oftener: each look is a chance of a false
  // call.
  void go_on_while_unsure() {
    while (!how_.gates.empty() && next_ < most_rounds()) {
      const std::vector<PlannedRun> unsure = open(next_);
      if (unsure.empty()) return;
      const std::uint32_t until = std::min(next_ + a_.plan().rounds, most_rounds());
      for (std::vector<PlannedRun> more = unsure; next_ < until;) {
        for (PlannedRun& run : more) run.round = next_;
        if (run_more(more, "the rounds so far are UNSURE")) continue;
        end_.pairs_unsure = end_.budget == BudgetSays::go_on ? 0 : unsure.size();
        return;
      }
    }
  }

  SideRun& a_;
  SideRun* b_;
  const TurnsHow& how_;
  std::uint32_t next_ = 0;  // round, beyond those that were asked for
  TurnWatch watch_;
  TurnsEnd end_;
  const Clock::time_point start_ = Clock::now();
};

}  // namespace

TurnsEnd run_in_turn(SideRun& a, SideRun* b, const TurnsHow& how) {
  return InTurn(a, b, how).run();
}

}  // namespace benchbench
