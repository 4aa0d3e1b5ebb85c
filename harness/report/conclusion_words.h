// The one sentence at the end.
#pragma once
#include <string>

#include "harness/analysis/findings.h"

namespace benchbench {

// Which side, how many milliseconds of each step, whether more workers help, and the best setting measured;
// "Indicative" where the point has fewer than kFirmRounds. Other words where no side can be named: modes left out, rounds
// too different, nothing usable.
std::string conclusion_text(const Findings& findings);

}  // namespace benchbench
