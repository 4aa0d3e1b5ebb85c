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
  return Firing{false, fmt::format("the CPU's clock was {:.0f} MHz, {:.0f} % of the {:.0f} MHz in "
                                   "machine.yaml (at least 97 % required)",
                                   hertz_of(*probe) / 1e6, 100 * share, *full / 1e6)};
}

// NVML's reasons are of the whole window; the clock counts where the GPU had work most of the time,
// since an idle one is slow.
std::optional<Firing> of_the_gpu(const TrialRecord& record) {
  if (!record.facts.device) return std::nullopt;
  const GpuFacts& gpu = record.facts.device->gpu;
  if (gpu.throttled && *gpu.throttled != "none")
    return Firing{false,
                  fmt::format("{} was slowed down: {}", record.facts.device->name, *gpu.throttled)};
  const ProbeFacts *busy = measured_probe(record.facts, "gpu_busy"),
                   *clock = measured_probe(record.facts, "gpu_clock");
  const auto full = gpu_ceiling(record, "gpu_clock");
  if (!busy || !clock || !full || !(busy->mean >= kBusyShare)) return std::nullopt;
  const double share = clock->mean / *full;
  if (!(share < kFull)) return std::nullopt;
  return Firing{
      false, fmt::format("the clock of {} was {:.0f} MHz, {:.0f} % of the {:.0f} MHz in "
                         "machine.yaml (at least 97 % required)",
                         record.facts.device->name, clock->mean / 1e6, 100 * share, *full / 1e6)};
}

}  // namespace

std::optional<Firing> clocks(const TrialRecord& record) {
  if (record.facts.simulated) return std::nullopt;
  if (auto fired = of_the_gpu(record)) return fired;
  return of_the_cpu(record);
}

}  // namespace benchbench::rules
