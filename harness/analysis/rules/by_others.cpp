#include "harness/analysis/rules/by_others.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/rules/asked.h"

namespace benchbench::rules {
namespace {

// The kernel counts idle time in ticks, and each CPU's is read at both ends of a window.
constexpr double kTick_s = 0.01;
// Cores of which more was left are not short. It decides only where the kernel does not say how
// long threads waited.
constexpr double kAllInUse = 0.9;

// Returns how many CPUs run.cpus leaves, else those by affinity. A quota is not looked at: it moves
// from core to core.
double cpus_of(const TrialRecord& record) {
  const Value* limit = record.trial.settings.find("run.cpus");
  const auto* count = limit ? std::get_if<std::int64_t>(&limit->held) : nullptr;
  if (count && *count > 0) return static_cast<double>(*count);
  return record.environment.cpus_usable > 0 ? record.environment.cpus_usable
                                            : record.facts.cpu.cores_available;
}

// Without others ours could have had what they had, and no more: the trial's rate falls short by
// their part of all that was used at most. And no thread of ours was held up by more than it
// waited.
double most_lost(const ByOthers& others, double unsure) {
  const double surely = std::max(0.0, others.cores - unsure), used = surely + others.ours;
  const double taken = used > 0 ? surely / used : 0;
  if (others.waited_share) return std::min(taken, *others.waited_share);
  return used > kAllInUse * others.cpus ? taken : 0;
}

}  // namespace

std::optional<ByOthers> by_others(const TrialRecord& record) {
  const Facts& f = record.facts;
  const auto ours = our_cores(f);
  const double others_s = f.cpu.others_s.value_or(-1);
  if (!(others_s >= 0) || !std::isfinite(others_s) || !ours || f.window.ns <= 0)
    return std::nullopt;
  const double wall_s = static_cast<double>(f.window.ns) * 1e-9;
  ByOthers others{*ours, others_s / wall_s, cpus_of(record), {}, 0};
  if (f.cpu.run_delay_most_s) others.waited_share = std::min(1.0, *f.cpu.run_delay_most_s / wall_s);
  others.lost_share = most_lost(others, kTick_s * std::sqrt(others.cpus) / wall_s);
  return others;
}

}  // namespace benchbench::rules
