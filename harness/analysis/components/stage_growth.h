// Which part of a step takes longer in B than in A, from the parts that trials meter.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/components/fault.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/statistics/estimate.h"

namespace benchbench {

struct StageTimes {
  std::string name;
  ByRound ms;  // per step
};

// The parts of the trainer's step, "other" last, by round: of usable records whose waits were
// metered. `whole_gets`: the wait for a core is in get_blocked, as it is where are_gets_whole().
std::vector<StageTimes> step_parts_by_round(JudgedRecords records, bool whole_gets = false);
// Returns true if a usable record does not part what its gets took, as of older versions and of
// loaders with workers of their own. Next to it the other side's are to be taken whole too.
bool are_gets_whole(JudgedRecords records);
// The stages of the loader, in ms of work of all its workers together per step (without workers, of
// the trainer's thread), with "other" for what workers did in no stage.
std::vector<StageTimes> loader_stages_by_round(JudgedRecords records);
ByRound step_ms_by_round(JudgedRecords records);

struct StageGrowth {
  std::string name;
  Estimate ms;  // B - A per step
};

// Of each stage, by size, the largest first; a stage that one side lacks took 0 there. Empty where
// a side has none. The shift of Hodges and Lehmann with the interval of the exact rank test, of two
// sets of rounds (Mann and Whitney) or of the differences within rounds where these are shared
// (signed ranks); the 5 % of errors are divided by the number of stages. A mean's t interval held 0
// on a busy machine whose rounds differed by up to 70 %, where the rank test called the rate with p
// < 0.001. Stages with less than two rounds (of pairs, where shared) are left out; below 10 pairs,
// or 7 against 7, an interval is only the range seen.
std::vector<StageGrowth> stage_growths(const std::vector<StageTimes>& a,
                                       const std::vector<StageTimes>& b, Rounds rounds);
// Of one stage; `intervals` share the 5 %.
Measured growth_of(const ByRound& a, const ByRound& b, Rounds rounds, double intervals = 1);

// The largest growth in the direction of `sign` (+1 grew, -1 shrank) that is clear of 0 and at
// least `least_ms`; nullptr: none.
const StageGrowth* largest_growth(const std::vector<StageGrowth>& growths, int sign,
                                  double least_ms) noexcept;

}  // namespace benchbench
