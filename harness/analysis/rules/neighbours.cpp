#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

constexpr double kSteal = 0.01;
constexpr double kPressure = 0.05;
// Our own threads wait for a CPU too, and the kernel's pressure does not say whose wait it was. Where ours kept no more
// than half of the cores busy they had little to wait for each other, so the waiting is the neighbours'.
constexpr double kOurs = 0.5;

// Cores that our process tree kept busy, as a share of those it may use.
std::optional<double> our_share(const Facts& f) {
  if (!f.cpu_user_s || !f.cpu_system_s || !(f.cores_available > 0) || f.window_ns <= 0) return std::nullopt;
  return (*f.cpu_user_s + *f.cpu_system_s) / (f.cores_available * static_cast<double>(f.window_ns) * 1e-9);
}

double share_of(const ProbeFacts& probe) { return probe.unit == "%" ? probe.mean / 100 : probe.mean; }

}  // namespace

std::optional<Firing> neighbours(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.steal_share && *f.steal_share > kSteal)
    return Firing{false, fmt::format("other guests of this host took {:.1f} % of the CPUs, over 1 %",
                                     100 * *f.steal_share)};
  const ProbeFacts* pressure = measured_probe(f, "pressure_cpu");
  const auto ours = our_share(f);
  if (!pressure || !ours || *ours > kOurs || !(share_of(*pressure) > kPressure)) return std::nullopt;
  return Firing{false, fmt::format("threads waited for a CPU {:.0f} % of the time, over 5 %, while ours used {:.0f} % of "
                                   "them: other processes run here",
                                   100 * share_of(*pressure), 100 * *ours)};
}

}  // namespace benchbench::rules
