// When a run has seen enough: the seam between the rounds that run and those who judge them. Pure;
// asked after each round.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "harness/record/trial_record.h"

namespace benchbench {

enum class StoppingRule : std::uint8_t {
  fixed,  // plan.rounds, whatever they say
  // Goes on until every pipeline rate's 95 % interval is within measure.stop_at to either side, or
  // max_rounds.
  interval,
  // Takes as many rounds as the time lets, two at least: for those who hold `spent`. `run` does not
  // ask it, since its supervisor keeps the budget while planning and by trials that are left out.
  budget,
};
// `interval` where the scenario has measure.stop_at, else `fixed`: a budget cuts rounds while
// planning.
StoppingRule stopping_rule_of(const Plan& plan) noexcept;

// What looking again and again costs. An interval that is taken as soon as it is narrow enough is
// taken too often where its spread came out small by chance, so that it covers the truth less often
// than it says: looked at after every round from the third on, 90 % of the time instead of 95 %. So
// the first look is at five rounds, and two looks in a row must agree: then it is 92 % at worst, by
// simulation (tests/known_answer/statistics prints it), and not more of a promise. Only the width
// decides, never the value nor a p, so that nothing is stopped because it looks significant, and
// estimates stay unbiased. What gates takes a number of rounds that was fixed beforehand.
inline constexpr std::uint32_t kFirstLook = 5;
inline constexpr std::uint32_t kLooksThatAgree = 2;

enum class Enough : std::uint8_t { no, planned_rounds, narrow, max_rounds, budget };

struct StoppingState {
  Enough enough = Enough::no;    // by what
  std::uint32_t rounds = 0;      // complete ones
  std::optional<double> widest;  // half interval of the least known rate, as a share
  double asked = 0;              // the share asked for
  double spent = 0, budget = 0;  // seconds
};

// `complete` rounds have run, 0, 1, …; records of later ones do not count, so that a resumed run
// answers as the first one did. `spent` and `budget` are seconds and matter to `budget` alone. A
// trial with fewer than two usable rounds (it failed each time) is not waited for, since it would
// never be narrow.
StoppingState stopping_state(StoppingRule rule, const Plan& plan,
                             std::span<const TrialRecord> records, std::uint32_t complete,
                             double spent = 0, double budget = 0);

inline bool enough(StoppingRule rule, const Plan& plan, std::span<const TrialRecord> records,
                   std::uint32_t complete, double spent = 0, double budget = 0) {
  return stopping_state(rule, plan, records, complete, spent, budget).enough != Enough::no;
}

// The rule on logs of one rate a round, in the order they were taken: whether it would have stopped
// at all of them.
bool narrow_enough(std::span<const double> logs, double share);

}  // namespace benchbench
