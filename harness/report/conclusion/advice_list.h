// The advice of a report, for programs.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

struct AdviceLine {
  // A word of Remedy, or of NextKind if no change is named. It stays as it is from version to
  // version.
  std::string_view id;
  std::optional<std::string_view> finding;  // the word of the ExternalFault that it is against
  std::string point;                        // by name
  std::string where;                        // a place in the user's code; empty: there is none
  std::vector<std::pair<std::string, std::string>> arguments;
};

// Returns the advice in the order in which the last paragraph has it: the settings to use, the
// change of each of the advised_findings(), what is next.
std::vector<AdviceLine> list_advice(const Findings& findings, const Plan& plan);

}  // namespace benchbench
