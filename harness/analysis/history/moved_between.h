// Which stage took longer after a change than before, from the records of some nights on either
// side.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/components/stage_growth.h"
#include "harness/analysis/rates/host_timeline.h"

namespace benchbench {

inline constexpr std::size_t kNightsOfAStage = 7;  // on either side, at most

// Of the series with this digest, in ms per step, the mean over its usable rounds: parts of the
// step, of a loader alone the stages of its work. Empty where the run has no such series, or its
// parts were not metered.
NamedTimes stages_of_night(const Plan& plan, std::span<const TrialRecord> records,
                           const std::string& series);

// The stage whose time moved most between the nights before and those after, in the direction of
// `worse`, clear of 0 by the exact rank test of stage_growths(); nullopt where none did.
std::optional<StageGrowth> moved_between(const std::vector<NamedTimes>& before,
                                         const std::vector<NamedTimes>& after, bool worse);

}  // namespace benchbench
