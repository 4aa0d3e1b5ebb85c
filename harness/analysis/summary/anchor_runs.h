// The runs of the plan's anchor, in the order they ran: how the machine drifted.
#pragma once
#include <vector>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// One run of the plan's anchor: the same trial again and again, so that what its rates differ by is
// the machine.
struct AnchorRun {
  std::uint64_t sequence = 0;  // the record's: trials ran in this order
  std::uint32_t round = 0;
  Status status = Status::valid;
  double ratio = 0;  // its rate over the median of all usable ones
};

// Every run that has a rate, usable or not; `ratio` is over the median of the usable ones. Empty
// without an anchor, or where none is usable.
std::vector<AnchorRun> anchor_runs(const Plan& plan, const JudgedTrials& trials);

}  // namespace benchbench
