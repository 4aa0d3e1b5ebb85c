#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

constexpr double kFull = 0.97;
// Idle CPUs are slowed down, and rightly, and few at work are faster than all. The ceiling was taken with all of them at
// work and both are means over CPUs, so that less work proves nothing.
constexpr double kBusyShare = 0.9;

double hertz_of(const ProbeFacts& probe) {
  const double factor = probe.unit == "MHz" ? 1e6 : probe.unit == "kHz" ? 1e3 : probe.unit == "GHz" ? 1e9 : 1;
  return probe.mean * factor;
}

}  // namespace

std::optional<Firing> clocks(const TrialRecord& record) {
  const ProbeFacts* probe = measured_probe(record.facts, "cpu_clock");
  const auto full = ceiling(record.environment, "cpu_clock");
  if (!probe || !full || record.facts.simulated) return std::nullopt;
  const double cores = record.facts.cpu.cores_available;
  if (!(cores > 0) || !(our_cores(record.facts).value_or(0) >= kBusyShare * cores)) return std::nullopt;
  const double share = hertz_of(*probe) / *full;
  if (!(share < kFull)) return std::nullopt;
  return Firing{false, fmt::format("the CPU's clock was {:.0f} MHz, {:.0f} % of the {:.0f} MHz in "
                                   "machine.yaml (at least 97 % required)",
                                   hertz_of(*probe) / 1e6, 100 * share, *full / 1e6)};
}

}  // namespace benchbench::rules
