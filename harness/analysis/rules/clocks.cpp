#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

constexpr double kFull = 0.97;
// Idle CPUs are slowed down, and rightly, and few at work are faster than all. The ceiling was
// taken with all of them at work and both are means over CPUs, so that less work proves nothing.
constexpr double kBusyShare = 0.9;

double hertz_of(const ProbeFacts& probe) {
  const double factor = probe.unit == "MHz"   ? 1e6
                        : probe.unit == "kHz" ? 1e3
                        : probe.unit == "GHz" ? 1e9
                                              : 1;
  return probe.mean * factor;
}

std::optional<Firing> of_the_cpu(const TrialRecord& record) {
  const ProbeFacts* probe = measured_probe(record.facts, "cpu_clock");
  const auto full = ceiling(record.environment, "cpu_clock");
  if (!probe || !full) return std::nullopt;
  const double cores = record.facts.cpu.cores_available;
  if (!(cores > 0) || !(our_cores(record.facts).value_or(0) >= kBusyShare * cores))
    return std::nullopt;
  const double share = hertz_of(*probe) / *full;
  if (!(share < kFull)) return std::nullopt;
  return doubt(
      fmt::format("the CPU's clock was {:.0f} MHz, {:.0f} % of the {:.0f} MHz in "
                  "machine.yaml (at least 97 % required)",
                  hertz_of(*probe) / 1e6, 100 * share, *full / 1e6));
}

// A power cap holds the clock of each card at full load, by design, and so do its user's settings:
// facts, and no faults.
std::optional<Firing> of_the_gpu(const TrialRecord& record) {
  const auto& gpu = record.facts.gpu;
  if (!gpu || !gpu->throttled || *gpu->throttled == "none") return std::nullopt;
  return doubt(fmt::format("{} was slowed down: {}", card_name(*gpu), *gpu->throttled));
}

}  // namespace

std::optional<Firing> clocks(const TrialRecord& record) {
  if (record.facts.simulated) return std::nullopt;
  if (auto fired = of_the_gpu(record)) return fired;
  return of_the_cpu(record);
}

// An idle card is slow, and rightly.
std::optional<double> busy_gpu_clock(const Facts& facts) {
  const ProbeFacts *busy = measured_probe(facts, "gpu_busy"),
                   *clock = measured_probe(facts, "gpu_clock");
  if (!facts.gpu || !busy || !clock || !(busy->mean >= kBusyShare)) return std::nullopt;
  return clock->mean;
}

}  // namespace benchbench::rules
