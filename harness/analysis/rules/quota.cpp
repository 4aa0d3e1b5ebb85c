#include <fmt/format.h>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

std::optional<Firing> quota(const TrialRecord& record) {
  const auto throttled = record.facts.cpu.throttled_s;
  if (!throttled || !(*throttled > 0)) return std::nullopt;
  return doubt(fmt::format("the CPU quota throttled the trial for {:.3g} s", *throttled));
}

}  // namespace benchbench::rules
