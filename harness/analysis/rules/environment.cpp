#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

std::optional<Firing> environment(const TrialRecord& record) {
  const auto& set = record.environment.variables;
  if (set.empty()) return std::nullopt;
  return Firing{false, fmt::format("set in the environment: {}", fmt::join(set, ", "))};
}

}  // namespace benchbench::rules
