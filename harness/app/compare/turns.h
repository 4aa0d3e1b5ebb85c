// The runs of the two sides of a comparison, in the order in which they run. Pure.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/analysis/compare/compare_runs.h"
#include "harness/analysis/compare/gates.h"

namespace benchbench {

// Planned runs of one side, in a process of their own.
struct Turn {
  bool of_b = false;
  std::vector<PlannedRun> runs;
};

// Returns the turns of a round. By pairs the i-th run of A is next to the i-th one of B, where both
// sides have the same trials in the same order; else each side runs its whole round. Which of two
// turns is first is drawn from the seed, the round and, by pairs, the pair.
std::vector<Turn> turns_of(std::span<const PlannedRun> a, std::span<const PlannedRun> b,
                           std::uint64_t seed, std::uint32_t round, bool by_pairs);

// Returns the runs of the first round that run once more, as runs of `round`: those with fewer
// pairs than the plan has rounds that other programs left alone (is_disturbed_pair). None where the
// sides do not have the same trials in the same order.
std::vector<PlannedRun> runs_again(const ComparedRun& a, const ComparedRun& b, std::uint32_t round);
// Returns the runs of the first round, as runs of `round`, whose comparison is UNSURE because the
// rounds differ too much, and which a gate is for. More rounds may settle them. None where the
// sides do not have the same trials in the same order.
std::vector<PlannedRun> open_runs(const ComparedRun& a, const ComparedRun& b,
                                  std::span<const Gate> gates, std::uint32_t round);
// Returns the runs of a round in their order.
std::vector<PlannedRun> runs_of_round(const Plan& plan, std::uint32_t round);

}  // namespace benchbench
