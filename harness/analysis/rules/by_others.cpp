#include "harness/analysis/rules/by_others.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/rules/asked.h"
#include "harness/record/setting_keys.h"

namespace benchbench::rules {
namespace {

// The kernel counts idle time in ticks, and each CPU's is read at both ends of a window.
constexpr double kTick_s = 0.01;
// Cores of which more was left are not short.
constexpr double kAllInUse = 0.9;

// Returns how many CPUs run.cpus leaves, else those by affinity. A quota is not looked at: it moves
// from core to core.
double cpus_of(const TrialRecord& record) {
  if (const auto cpus = record.trial.settings.get_if(keys::run.cpus)) return *cpus;
  return record.environment.cpus_usable > 0 ? record.environment.cpus_usable
                                            : record.facts.cpu.cores_available;
}

// Returns the share of the window, without what a quota held back (R08).
std::optional<double> without_core(const Facts& f, const std::optional<double>& run_delay_s) {
  if (!run_delay_s || !(*run_delay_s >= 0)) return std::nullopt;
  const double left_s = std::max(0.0, *run_delay_s - f.cpu.throttled_s.value_or(0));
  return std::min(1.0, left_s * 1e9 / window_ns(f));
}

// Without others ours could have had what they had, and no more: under a scheduler that hinders all
// threads alike the trial's rate falls short by their part of all that was used. And no thread of
// ours was held up by more than it waited.
double lost_if_fair(const ByOthers& others, double theirs) {
  const double used = theirs + others.ours, taken = used > 0 ? theirs / used : 0;
  if (others.no_core_share) return std::min(taken, *others.no_core_share);
  return used > kAllInUse * others.cpus ? taken : 0;
}

// Returns what it lost on a core that it is bound to and another program had: cores are left, and
// the trainer's thread has none. It sets the pace where it waits longer for that than for batches.
double lost_by_trainer(const Facts& f, const ByOthers& others, double theirs) {
  const auto share = without_core(f, f.cpu.run_delay_trainer_s);
  if (!share || theirs + others.ours > kAllInUse * others.cpus) return 0;
  const LoopTimes& loop = f.window.loop;
  const bool sets_pace =
      loop.step_ns > 0 && static_cast<double>(loop.get_ns) < *share * window_ns(f);
  return sets_pace ? std::min(theirs, *share) : 0;
}

}  // namespace

double cores_of_others(const Facts& f) noexcept {
  const double seconds = f.cpu.others_s.value_or(0);
  return seconds > 0 && f.window.ns > 0 ? seconds * 1e9 / window_ns(f) : 0;
}

std::optional<ByOthers> by_others(const TrialRecord& record) {
  const Facts& f = record.facts;
  const auto ours = our_cores(f);
  const double others_s = f.cpu.others_s.value_or(-1);
  const auto is_time = [](double s) { return s >= 0 && std::isfinite(s); };
  if (!is_time(others_s) || !ours || !is_time(*ours) || f.window.ns <= 0) return std::nullopt;
  const double wall_s = window_seconds(f);
  ByOthers others{*ours, others_s / wall_s, cpus_of(record), {}, 0};
  others.no_core_share = without_core(f, f.cpu.run_delay_most_s);
  const double theirs = std::max(0.0, others.cores - kTick_s * std::sqrt(others.cpus) / wall_s);
  others.lost_share = std::max(lost_if_fair(others, theirs), lost_by_trainer(f, others, theirs));
  return others;
}

}  // namespace benchbench::rules
