// Every point's rate against the base's, within rounds: what axis effects and the point to use are
// made from.
#pragma once
#include <vector>

#include "harness/analysis/choice/paired.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/point_summary.h"

namespace benchbench {

// One point's rate against the base's: whatever differs in their settings, samples are samples.
struct OverBase : Paired {
  ByRound by_round;  // the ratio within each round that has both
};

struct AgainstBase {
  // Mode of the rates: the pipeline's where any point has it, else the loader's, else the
  // trainer's.
  Mode mode = Mode::pipeline;
  bool base_usable = false;   // the base has a usable rate
  std::vector<ByRound> logs;  // by point; usable rates only
  // By point. The base's own is not_compared, and what shuffles otherwise than it: reading in
  // storage order is faster and trains something else.
  std::vector<Paired> effects;
  PairedRule rule;             // of all points compared with the base
  std::uint32_t compared = 0;  // other points that have a round in common with the base

  Paired between(std::uint32_t point, std::uint32_t other) const {
    return compare_paired(logs[point], logs[other], rule);
  }
};

// `floor` is the A/A floor as a share; 0 where it was not measured. `exact`: PairedRule's.
AgainstBase compare_with_base(const Plan& plan, const std::vector<PointFindings>& points,
                              const JudgedTrials& trials, double floor, bool exact);

// By point, round by round: exp of the difference of the logs. Orders are no matter.
std::vector<OverBase> over_base(const AgainstBase& against);

}  // namespace benchbench
