#include "harness/analysis/external/seen_batch.h"

#include <algorithm>

#include "harness/analysis/rules/by_others.h"

namespace benchbench {
namespace {

using Ms = std::optional<double>;

Ms ms_a_step(const ExternalWindow& w, const std::optional<ExternalTime>& time) {
  return time ? w.per_step_ms(time->ns) : std::nullopt;
}

// The hand-over's two ends are timed together: a worker is billed for both.
Ms made_ms(const ExternalWindow& w) {
  const Ms fetch = ms_a_step(w, w.external.getitem), collate = ms_a_step(w, w.external.collate);
  if (!fetch || !collate) return std::nullopt;
  return *fetch + *collate + ms_a_step(w, w.external.handover).value_or(0);
}

Ms delay_ms(const ExternalWindow& w) { return w.per_step_ms(w.external.core_wait_loader_ns); }

Ms cpu_ms(const ExternalWindow& w) {
  const CpuFacts& cpu = w.facts.cpu;
  if (!cpu.user_s || !cpu.system_s) return std::nullopt;
  return (*cpu.user_s + *cpu.system_s) * 1e3 / w.steps;
}

Ms free_of_others(const ExternalWindow& w) {
  if (!w.facts.cpu.others_s || !(w.cores() > 0)) return std::nullopt;
  return std::max(0.0, w.cores() - rules::cores_of_others(w.facts));
}

// Without the main thread's waits for a core, which lie in both parts of the step.
double unhindered(const ExternalWindow& w, double ms) {
  const double delay = w.per_step_ms(w.external.core_wait_main_ns).value_or(0);
  return ms * std::max(0.0, w.step_ms - delay) / w.step_ms;
}

Ms own_step_ms(const ExternalWindow& w) {
  if (!w.wait_ms || !w.external.core_wait_main_ns) return std::nullopt;
  return unhindered(w, std::max(0.0, w.step_ms - *w.wait_ms));
}

Ms waited_ms(const ExternalWindow& w) {
  return w.wait_ms ? std::optional(unhindered(w, *w.wait_ms)) : std::nullopt;
}

Ms fetching_ms(const LoaderTrials& trial) {
  const auto alone = trial_of(trial.point, Mode::loader);
  if (!alone) return std::nullopt;
  return LoaderTrials{trial.point, *alone, Mode::loader, trial.trials}.mean_value(
      [](const ExternalWindow& w) { return w.per_step_ms(w.external.main_ran_ns); });
}

double largest_share(const ExternalWindow& w) {
  std::uint64_t most = 0, all = 0;
  for (const ExternalWorker& each : w.external.workers)
    most = std::max(most, each.batches), all += each.batches;
  return all > 0 ? static_cast<double>(most) / static_cast<double>(all) : 0;
}

}  // namespace

std::optional<BatchTimes> seen_batch(const LoaderTrials& trial) {
  const ExternalWindow last = trial.last_window();
  const bool none = last.workers == 0;
  const Ms step = trial.mean_value(own_step_ms), cpu = trial.mean_value(cpu_ms),
           cores = trial.mean_value(free_of_others),
           made = trial.mean_value(none ? waited_ms : made_ms),
           delay = none ? Ms(0) : trial.mean_value(delay_ms),
           fetching = none ? Ms(0) : fetching_ms(trial);
  if (!step || !cpu || !cores || !made || !delay || !fetching) return std::nullopt;
  return BatchTimes{
      .step_ms = *trial.mean_value([](const ExternalWindow& w) { return Ms(w.step_ms); }),
      .main_ms = *step + *fetching,
      .worker_ms = std::max(0.0, *made - *delay),
      .worker_wait_ms = *delay,
      .cpu_ms = *cpu,
      .cores = *cores,
      .all_cores = last.cores(),
      .workers = last.workers,
      .largest_share = largest_share(last)};
}

}  // namespace benchbench
