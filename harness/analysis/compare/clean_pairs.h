// Runs of both sides of a comparison that ran under like conditions. Decided by doubts and by what
// other programs used, never by rates. Pure.
#pragma once
#include <functional>
#include <span>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// Returns true for two VALID ones, and for usable ones that R09 alone doubts where what neighbours
// may have cost either differs by at most 3 % of a rate.
bool is_clean_pair(const JudgedRecord& a, const JudgedRecord& b);
// Returns true for usable ones that are no clean pair where R09 doubts one: other programs come and
// go, so that the two may be a clean pair another time. A load that comes on within a window is a
// trend of it, too (R06).
bool is_disturbed_pair(const JudgedRecord& a, const JudgedRecord& b);

using RunFilter = std::function<bool(const JudgedRecord&)>;
// Returns what is true of the runs of a trial of A and of one of B that no doubt is in: of pairs,
// by round and repeat, those of clean ones; of sets the VALID ones.
RunFilter clean_runs(JudgedRecords a, JudgedRecords b, bool paired);
// Returns true if one of two is NOISY where the other one is VALID, and is so on the same side more
// often than chance puts it there. What doubts that side may then be all that they differ by.
bool comes_noise_with_a_side(JudgedRecords a, JudgedRecords b);

}  // namespace benchbench
