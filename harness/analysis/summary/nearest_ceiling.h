// Which of this machine's measured ceilings a rate comes nearest to.
#pragma once
#include <vector>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// The measured ceiling of this machine that a mode's bytes came nearest to, in bytes a second.
struct NearestCeiling {
  Mode mode = Mode::pipeline;
  std::string ceiling;  // as in machine.yaml: "disk_read_cold"
  double rate = 0, ceiling_rate = 0;
  double share() const noexcept { return ceiling_rate > 0 ? rate / ceiling_rate : 0; }
};

// Returns one for each mode of the point, in their order, whose usable records passed bytes that
// `doctor --write` or `doctor --data` measured a ceiling for: means over these records.
std::vector<NearestCeiling> nearest_ceilings(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
