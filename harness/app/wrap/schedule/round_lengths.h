// The number of rounds of a script, and the length of a stretch in them, from the time that its
// batches take. Pure.
#pragma once
#include <cstdint>
#include <optional>

#include "harness/part/wrapped.h"

namespace benchbench {

// The least length of a stretch of one process: rule R07 asks as much of class `stretch`.
inline constexpr Nanoseconds kLeastStretch = std::chrono::milliseconds{100};

// Returns the time of batches that take `batch` each.
constexpr Nanoseconds time_for(std::uint64_t batches, Nanoseconds batch) noexcept {
  return static_cast<std::int64_t>(batches) * batch;
}

struct RoundLengths {
  std::uint32_t rounds = 0;
  Nanoseconds stretch{0};
  std::uint64_t batches = 0;          // of a stretch, at least
  std::uint64_t distinct = 0;         // batches that are held for T
  Nanoseconds expected{0};            // of all rounds
  Nanoseconds ends_after{0};          // the script is stopped then
  bool cut = false;                   // fewer or shorter stretches than asked for
  std::optional<Nanoseconds> needed;  // the budget of one round, where the given one is too small
};

// Returns the rounds that fit. `kinds` is the number of stretches in a round. An epoch's beginnings
// make all of it take longer; validations, which come on top, are not known.
RoundLengths plan_rounds(const WrapOrder& order, const WrapLoop& loop, unsigned kinds);
// Returns the same for the first rounds of a search, which most of the budget is left for.
RoundLengths plan_rounds_of_search(const WrapOrder& order, const WrapLoop& loop, unsigned kinds);
// Returns the time of one round with stretches of this length, for which `distinct` batches are
// held.
Nanoseconds expect_round(const WrapLoop& loop, std::uint64_t distinct, unsigned kinds,
                         Nanoseconds stretch);
// Returns the same in batches alone, so that all ranks count alike.
RoundLengths count_in_batches(RoundLengths lengths, const WrapLoop& loop);

// Rounds that are shorter than the others, so that the script does nothing else in between.
struct ShortRounds {
  std::uint32_t rounds = 0;  // the first ones; 0: all have their whole length
  std::uint64_t batches = 0, distinct = 0;
};
// Returns the first rounds that end with this epoch, since scripts mostly save then: where not all
// do, shorter ones, at last a single one of the least that can be counted.
ShortRounds fit_in_epoch(const RoundLengths& lengths, const WrapLoop& loop);
// Returns the first rounds of a script that will save and has not yet: a few short ones, as it is
// not known when it does. None of another.
ShortRounds fit_before_first_save(const RoundLengths& lengths, const WrapLoop& loop);
// Returns the first rounds, whose F is over, that end before the script saves again. One at least.
ShortRounds fit_before_save(const RoundLengths& lengths, const WrapLoop& loop,
                            std::uint64_t batches_left);
// Returns the batches between two saves that leave room for T, and for an F without them.
std::uint64_t least_between_saves(const WrapLoop& loop) noexcept;

// Returns what one stretch is asked for. T counts as many batches as F does in that time: by time
// it would go through many epochs where the step is short.
WrapStretchOrder order_stretch(WrapKind kind, const RoundLengths& lengths, Nanoseconds batch);
// Returns the length of a stretch of a script that runs to its end: a twentieth of what was watched
// so far, and no more steps than are easily held.
Nanoseconds watch_for(const RoundLengths& lengths, Nanoseconds elapsed, Nanoseconds batch);

}  // namespace benchbench
