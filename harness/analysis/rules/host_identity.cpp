#include <fmt/format.h>

#include "harness/analysis/host_timeline.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

std::optional<Firing> host_identity(const TrialRecord& record) {
  if (record.facts.window_ns <= 0) return std::nullopt;  // R18's
  const HostTimeline line = host_timeline(record.facts);
  if (line.residual_share >= -0.005) return std::nullopt;
  return Firing{
      true,
      fmt::format("the parts of the steps are {:.1f} % longer than the window: something is billed twice",
                  -100 * line.residual_share)};
}

}  // namespace benchbench::rules
