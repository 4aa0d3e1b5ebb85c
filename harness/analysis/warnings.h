// What a reader must know before believing a comparison.
#pragma once
#include <optional>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Returns nullopt where other programs used next to nothing, or where it was not measured.
std::optional<CoresUsed> other_programs_seen(const JudgedTrials& trials);

Warnings warnings_of(const Plan& plan, const JudgedTrials& trials,
                     const std::vector<PointFindings>& points);

}  // namespace benchbench
