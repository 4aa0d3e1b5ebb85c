// What the user's own code raised, and where.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/summary/problems.h"

namespace benchbench {

struct FailedCode {
  std::string where;                  // "train.py:31"
  std::string what;                   // "KeyError: 'mask'", the exception's last line
  std::vector<std::uint32_t> points;  // of the trials that it ended, ascending
  std::vector<std::string> others;    // places of other exceptions
};

// The place that ended most trials; nullopt where no code of the user's raised, or its place is not
// known.
std::optional<FailedCode> failed_code(const Plan& plan, const std::vector<Problem>& problems);

}  // namespace benchbench
