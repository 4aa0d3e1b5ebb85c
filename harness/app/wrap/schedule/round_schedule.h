// Decides what a process of the script measures next: rounds of stretches in random order. Pure.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/app/wrap/schedule/round_lengths.h"
#include "harness/app/wrap/schedule/side_certainty.h"
#include "harness/app/wrap/schedule/spent_rounds.h"
#include "harness/core/random.h"

namespace benchbench {

// A loop that is measured, and the rounds that are planned for it.
struct WrapPlanned : WrapSteady {
  std::uint32_t rounds = 0;
  bool until_settled = false;  // rounds end once they settle the side: they are 1 to `rounds`
  // `round`: what one takes; `expected`: all of them, where they end sooner what they have room in.
  // `stops_after`: the script is asked to end then, so that all of it is over by `ends_after`.
  Nanoseconds stretch{0}, round{0}, expected{0}, stops_after{0}, ends_after{0};
  bool cut = false;   // fewer or shorter stretches than asked for
  std::string fewer;  // that rounds which the user asked for have no room, a sentence; may be empty
  std::string kinds;  // of a round: "FTL"; "F" also where more has no room
  // The reason for that, as a sentence; empty: there is room, or F alone was asked for.
  std::string why;
};

class RoundSchedule {
 public:
  // Throws ScenarioError where not even the script as it is has room in the budget.
  RoundSchedule(const WrapOrder& order, const WrapSteady& steady);

  // A stretch that was asked for, with what of the machine was used meanwhile.
  void finished(const WrapStretch& stretch, const std::optional<ResourceUse>& used);
  // Returns what comes: the rest of the round, or the next one. Where all rounds are over, or
  // another one could not change the answer, or has no room: the script as it is until its next
  // epoch has begun, if none has been seen and that has room. nullopt: nothing. `is_answer_open` is
  // asked where the side is settled; empty: nothing else can be another one.
  std::optional<WrapNext> next(const WrapState& state,
                               const std::function<bool()>& is_answer_open = {});
  // Returns all rounds at once, for ranks.
  WrapNext take_all();
  // Returns one stretch more, in a round of its own behind all others.
  WrapNext add(WrapKind kind, std::map<std::string, ExternalValue> settings);

  WrapPlanned planned(const WrapSteady& steady) const;

 private:
  void plan();
  unsigned count_kinds() const noexcept { return static_cast<unsigned>(kinds_.size()); }
  RoundLengths plan_lengths() const;
  bool may_settle() const;
  void plan_until_settled();
  Nanoseconds least_stretch() const;
  Nanoseconds expect_short_round() const;
  std::uint32_t count_that_fit() const;
  bool goes_on(const std::function<bool()>& is_answer_open);
  bool fit_next_round();
  std::string find_no_room() const;
  std::string find_fewer() const;
  RoundLengths plan_full_alone() const;
  void measure_full_alone(std::string why);
  void begin_round();
  WrapNext take_left();
  WrapNext take_watched();
  std::optional<WrapNext> take_next_epoch(const WrapState& state);
  void fit_to_saves(const WrapState& state, WrapNext& next);
  std::uint64_t count_batches_of_stretch() const;
  WrapStretchOrder order_next(WrapKind kind);

  const WrapOrder order_;
  const WrapLoop loop_;
  std::string kinds_, why_;
  RoundLengths lengths_;
  ShortRounds short_;
  std::uint32_t most_ = 0;  // rounds
  bool until_settled_ = false;
  Nanoseconds room_{0}, longest_{0};  // for all rounds; of a stretch
  SideCertainty side_;
  SpentRounds spent_;
  Random random_;
  std::uint32_t begun_ = 0;     // rounds
  std::uint32_t place_ = 0;     // of the next stretch in its round
  std::vector<WrapKind> left_;  // of the round
  bool is_over_ = false;        // nothing comes after that
  Nanoseconds watched_{0};
};

}  // namespace benchbench
