// One setting's rate against another's, from the rounds that have both.
#pragma once
#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

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
