// Both sides of a comparison in turn, while their budget has room.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/app/compare/side_run.h"
#include "harness/app/compare/turn_watch.h"

namespace benchbench {

// How many times the rounds that were asked for: a load that is on half of the time, in stretches
// of 2 s, leaves one pair of three undisturbed, and spreads rates by 10 %.
inline constexpr std::uint32_t kMostRounds = 4;

struct TurnsHow {
  std::uint64_t seed = 0;
  bool by_pairs = false, quiet = false;
  RunBudget budget = {};  // its `planned` is of both sides (planned_of_sides)
  // Their comparisons go on while they are UNSURE; none where the number of rounds was given.
  std::vector<Gate> gates = {};
};

// Runs rounds 0 to n - 1 of both in turns (turns.h); of `a` alone where b is null. By pairs those
// that other programs disturbed run again, in rounds beyond n, until n are undisturbed or
// kMostRounds n rounds are over. Then what a gate is for goes on, n rounds at a time and up to as
// many, while it is UNSURE. In virtual time nothing comes and goes, and a process for each
// trial, which pairs take, is most of its cost. Ends early on an interrupt, where a side's first
// round gave nothing but failures, or where the budget has no room for the next turn. Progress goes
// to standard error.
TurnsEnd run_in_turn(SideRun& a, SideRun* b, const TurnsHow& how);

}  // namespace benchbench
