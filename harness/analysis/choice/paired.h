// One setting's rate against another's, from the rounds that have both.
#pragma once

#include "harness/analysis/rates/by_round.h"
#include "harness/analysis/statistics/estimate.h"
#include "harness/core/words.h"

namespace benchbench {

// The outcome of the rounds for one setting's rate against another's.
enum class Shown : std::uint8_t {
  not_compared,  // no usable round of both
  not_shown,     // the interval holds 1, or the difference is less than these rounds can show
  faster,
  slower,  // clearly, and by enough
  same,    // the interval is within 2 %
};
template <>
inline constexpr auto kWordsOf<Shown> =
    std::to_array<std::string_view>({"not compared", "not shown", "faster", "slower", "same"});

// One setting against another, paired within rounds.
struct Paired {
  Shown shown = Shown::not_compared;
  Measured ratio;  // its rate over the other's
  // The least difference, as a share, that would have been shown; nullopt under two rounds, which
  // show nothing.
  std::optional<double> detectable;
};

// What decides what is shown.
struct PairedRule {
  double floor = 0;               // the A/A floor: what one pair of identical trials differs by
  std::uint32_t comparisons = 1;  // among which the largest will be looked for
  // True in virtual time: rates differ by what settings do and by what is drawn, by nothing else.
  bool exact = false;
};

// Shown is a difference whose interval is clear of 1, and which is at least min_share() of the
// rounds and at least what the floor leaves of n pairs (floor / √n). The interval is the 95 % t
// interval of the log ratios; from kFirmRounds on that of `comparisons` at once (Bonferroni). Under
// five rounds, where that would show nothing, the 10 % of min_share() stand for it; where times are
// exact, 5 % stand for it, and either way of showing is enough.
// `ratio` keeps the 95 % interval of its own, which shows the two to be the same if it lies within
// kWorth of 1, whichever is over the other. One round shows nothing.
Paired compare_paired(const ByRound& logs, const ByRound& other, const PairedRule& rule);

}  // namespace benchbench
