#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

constexpr double kSteal = 0.01;
constexpr double kPressure = 0.05;
// Our own threads wait for a CPU too, and the kernel does not say whose wait it was. Where ours
// kept no more than half of the cores busy they had little to wait for each other, so the waiting
// is the neighbours'. The mean does not show bursts: more threads than cores wait for each other in
// them, so with as many it proves nothing.
constexpr double kOurCores = 0.5;

// The share of time in which somebody lacked a CPU though nobody of our own group did: surely from
// outside.
std::optional<double> outside_pressure(const Facts& f) {
  const ProbeFacts* all = measured_probe(f, "pressure_cpu");
  const ProbeFacts* ours = measured_probe(f, "group_pressure_cpu");
  return all && ours ? std::optional(all->mean - ours->mean) : std::nullopt;
}

bool mostly_idle(const Facts& f) {
  const auto cores = our_cores(f);
  if (f.workers.count + 1.0 > f.cpu.cores_available) return false;  // and the trainer's
  return cores && f.cpu.cores_available > 0 && *cores <= kOurCores * f.cpu.cores_available;
}

// Processes on the GPU that were there before the trial's own, or came without it.
std::optional<Firing> on_the_gpu(const Facts& f) {
  if (!f.device || f.device->gpu.foreign.value_or(0) == 0) return std::nullopt;
  return Firing{false, fmt::format("{} used {} too",
                                   *f.device->gpu.foreign == 1
                                       ? std::string("another process")
                                       : fmt::format("{} other processes", *f.device->gpu.foreign),
                                   f.device->name)};
}

}  // namespace

std::optional<Firing> neighbours(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (auto fired = on_the_gpu(f)) return fired;
  if (f.cpu.steal_share && *f.cpu.steal_share > kSteal)
    return Firing{false,
                  fmt::format("other guests of this host took {:.1f} % of the CPUs (limit 1 %)",
                              100 * *f.cpu.steal_share)};
  if (const auto outside = outside_pressure(f)) {
    if (!(*outside > kPressure)) return std::nullopt;  // our own group's waiting explains it
    return Firing{
        false, fmt::format("other processes were stalled on CPU {:.0f} % of the time (limit 5 %), "
                           "ours were not: the cores are shared with them",
                           100 * *outside)};
  }
  const ProbeFacts* pressure = measured_probe(f, "pressure_cpu");
  if (!pressure || !(pressure->mean > kPressure) || !mostly_idle(f)) return std::nullopt;
  return Firing{false,
                fmt::format("tasks were stalled on CPU {:.0f} % of the time (limit 5 %) while the "
                            "trial used {:.0f} % of the CPUs: other processes are running",
                            100 * pressure->mean, 100 * *our_cores(f) / f.cpu.cores_available)};
}

}  // namespace benchbench::rules
