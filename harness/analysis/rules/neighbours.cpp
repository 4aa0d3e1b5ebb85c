#include <fmt/format.h>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/by_others.h"
#include "harness/analysis/rules/checks.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench::rules {
namespace {

constexpr double kSteal = 0.01;

// Processes on the GPU that were there before the trial's own, or came without it.
std::optional<Firing> on_the_gpu(const Facts& f) {
  const std::uint64_t others = f.gpu ? f.gpu->foreign.value_or(0) : 0;
  if (others == 0) return std::nullopt;
  return doubt(fmt::format(
      "{} used {} too", others == 1 ? "another process" : fmt::format("{} other processes", others),
      card_name(*f.gpu)));
}

std::optional<Firing> on_the_cores(const TrialRecord& record) {
  const auto others = by_others(record);
  if (!others || !(others->lost_share > kMinEffect)) return std::nullopt;
  const std::string used =
      fmt::format("other programs used {:.1f} of {:g} cores", others->cores, others->cpus);
  const std::string waited =
      others->no_core_share
          ? fmt::format("a thread of the trial waited for one {:.0f} % of the time",
                        100 * *others->no_core_share)
          : std::string("next to none was left");
  return doubt(fmt::format("{} and {}: its rate may be {:.1f} % too low (limit 3 %)", used, waited,
                           100 * others->lost_share));
}

}  // namespace

std::optional<Firing> neighbours(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (auto fired = on_the_gpu(f)) return fired;
  if (f.cpu.steal_share && *f.cpu.steal_share > kSteal)
    return doubt(fmt::format("other guests of this host took {:.1f} % of the CPUs (limit 1 %)",
                             100 * *f.cpu.steal_share));
  return on_the_cores(record);
}

}  // namespace benchbench::rules
