#include <fmt/format.h>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

std::optional<Firing> neighbours(const TrialRecord& record) {
  const auto steal = record.facts.steal_share;
  if (!steal || !(*steal > 0.01)) return std::nullopt;
  return Firing{false,
                fmt::format("other guests of this host took {:.1f} % of the CPUs, over 1 %", 100 * *steal)};
}

}  // namespace benchbench::rules
