#include <fmt/format.h>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

constexpr double kLost = 0.05;

}  // namespace

// "not available" is a machine without that counter, and no doubt; "lost" is one that went away.
std::optional<Firing> telemetry(const TrialRecord& record) {
  for (const ProbeFacts& probe : record.facts.probes) {
    const auto all = static_cast<double>(probe.samples + probe.lost);
    const double share = all > 0 ? static_cast<double>(probe.lost) / all : 0;
    const bool gone = probe.state == ProbeState::lost && (all == 0 || share > kLost);
    if (!gone && !(share > kLost)) continue;
    return doubt(fmt::format("{} was lost for {} of the window{}{}", probe.name,
                             all > 0 ? fmt::format("{:.0f} %", 100 * share) : "some",
                             probe.why.empty() ? "" : ": ", probe.why));
  }
  return std::nullopt;
}

}  // namespace benchbench::rules
