// Runs of both sides of a comparison that ran under like conditions. Decided by doubts and by what
// other programs used, never by rates. Pure.
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Returns true for two VALID ones, and for usable ones that R09 alone doubts where what neighbours
// may have cost either differs by at most 3 % of a rate.
bool is_clean_pair(const JudgedRecord& a, const JudgedRecord& b);
// Returns true for usable ones that are no clean pair where R09 doubts one: other programs come and
// go, so that the two may be a clean pair another time. A load that comes on within a window is a
// trend of it, too (R06).
bool is_disturbed_pair(const JudgedRecord& a, const JudgedRecord& b);

// The round and the repeat of a run.
using RunOfTrial = std::pair<std::uint32_t, std::uint32_t>;
// Returns those runs of a trial of A and of one of B that are clean pairs.
std::set<RunOfTrial> clean_runs(std::span<const JudgedRecord> a, std::span<const JudgedRecord> b);

}  // namespace benchbench
