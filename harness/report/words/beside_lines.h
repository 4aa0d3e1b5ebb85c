// What went on beside the base point's steps, a line each: workers, the machine, the trainer with a
// loader beside it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// Name and text, in the order to print; what was not looked at has no line.
std::vector<std::pair<std::string, std::string>> beside_lines(const Findings& findings);

}  // namespace benchbench
