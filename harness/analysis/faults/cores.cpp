#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/rates/certainty.h"
#include "harness/analysis/rules/by_others.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {
namespace {

// Idle workers neither need a core nor wait for one.
std::uint32_t working(const ExternalWindow& w) { return w.workers_with_data().value_or(w.workers); }

std::optional<double> core_wait_ms(const ExternalWindow& w) {
  const auto workers = w.per_step_ms(w.external.core_wait_loader_ns),
             main = w.per_step_ms(w.external.core_wait_main_ns);
  if (!workers && !main) return std::nullopt;
  double loader = workers && w.workers > 0 ? *workers / working(w) : 0;
  if (w.wait_ms) loader = std::min(loader, *w.wait_ms);
  return std::min(w.step_ms, loader + main.value_or(0));
}

// The counter adds up the CPUs that stood still.
double throttled_step_ms(const ExternalWindow& w) {
  if (!w.facts.cpu.throttled_s || !(*w.facts.cpu.throttled_s > 0)) return 0;
  double cpus = w.external.runnable_mean.value_or(w.workers + 1.0);
  if (w.external.cpu_count) cpus = std::min<double>(cpus, *w.external.cpu_count);
  return std::min(w.step_ms, *w.facts.cpu.throttled_s * 1e3 / w.steps / std::max(1.0, cpus));
}

// More CPUs than may be used, and more workers or threads than those.
bool misreads_limit(const ExternalWindow& w) {
  if (!(w.cores() > 0) || !w.external.cpu_count) return false;
  const double usable = std::ceil(w.cores());
  return *w.external.cpu_count > usable &&
         (w.workers > usable || w.external.threads.value_or(0) > usable);
}

std::optional<double> limit_cost(const ExternalWindow& w) {
  const auto waited = core_wait_ms(w);
  const double throttled = throttled_step_ms(w);
  if (!waited && !(throttled > 0)) return std::nullopt;
  return misreads_limit(w) ? std::max(waited.value_or(0), throttled) : 0;
}

double mean_of(const ExternalScene& scene, std::optional<double> ExternalFacts::* threads) {
  const Measured mean =
      scene.trial.mean([&](const ExternalWindow& w) { return w.external.*threads; });
  return mean ? mean->value : 0;
}

bool exceed_cores(const ExternalScene& scene) {
  const double cores = scene.trial.last()->cpu.cores_available;
  return cores > 0 && mean_of(scene, &ExternalFacts::runnable_mean) > kMoreThreads * cores;
}

// Several threads in each worker that has work, over all rounds: a window has a few looks alone.
bool are_pools_in_workers(const ExternalScene& scene) {
  const Measured each = scene.trial.mean([](const ExternalWindow& w) -> std::optional<double> {
    const auto& threads = w.external.runnable_workers_mean;
    return threads && working(w) > 0 ? std::optional(*threads / working(w)) : std::nullopt;
  });
  return each && each->value > kPoolThreads;
}

// The threads of the step that all have a core while the workers have theirs.
double threads_with_core(const ExternalWindow& w) {
  return std::max(1.0, std::floor(w.cores()) - working(w));
}

// The least that fewer threads would gain: they take T's time, times as many as they do the work
// of. `alone_ms`: of a step, in T.
std::optional<double> step_pool_cost(const ExternalWindow& w, double alone_ms) {
  const auto waited = w.per_step_ms(w.external.core_wait_main_ns);
  if (!w.wait_ms || !waited || !(w.cores() > 0) || !w.external.threads) return std::nullopt;
  if (rules::cores_of_others(w.facts) > kBusyCores) return std::nullopt;
  const double fewer = threads_with_core(w), threads = *w.external.threads;
  if (working(w) == 0 || threads <= fewer) return 0;
  return std::max(0.0, std::min(*waited, w.step_ms - *w.wait_ms - alone_ms * threads / fewer));
}

// Returns the longest time that T may have, by what rounds of a quiet machine differ by: with one
// round, 2.2 ms of a script's step of 15.5 were no more than that.
double at_most_ms(double alone_ms, std::uint32_t rounds) {
  const std::vector<double> alike(std::max(1u, rounds));
  return alone_ms * std::exp(half_interval(alike, kQuietSpread));
}

std::optional<ExternalFinding> pools_in_workers(const ExternalScene& scene) {
  if (!exceed_cores(scene) || !are_pools_in_workers(scene)) return std::nullopt;
  return costing(ExternalFault::threads, scene, core_wait_ms);
}

// Only there does the main process compute. A step on a device leaves its work to that.
std::optional<ExternalFinding> pool_of_step(const ExternalScene& scene) {
  const PointFindings& p = scene.point;
  if (scene.trial.mode != Mode::pipeline || !scene.trial.last()->external->device.empty() ||
      !exceed_cores(scene) || !p.step_ms || !p.pipeline_rate || !p.trainer_rate)
    return std::nullopt;
  const double alone_ms = p.step_ms->value * p.pipeline_rate->value / p.trainer_rate->value;
  const double most_ms = at_most_ms(alone_ms, p.trainer_rate->n);
  auto found = costing(ExternalFault::threads, scene,
                       [&](const ExternalWindow& w) { return step_pool_cost(w, most_ms); });
  if (found) found->of_step = true;
  return found;
}

}  // namespace

std::optional<ExternalFinding> waits_for_cores(const ExternalScene& scene) {
  auto found = costing(ExternalFault::cpu_limit, scene, limit_cost);
  if (!found) found = pools_in_workers(scene);
  if (!found) found = pool_of_step(scene);
  if (!found) return std::nullopt;
  const ExternalWindow last = scene.trial.last_window();
  found->cpu_count = last.external.cpu_count.value_or(0);
  found->threads = last.external.threads.value_or(0);
  found->runnable = mean_of(scene, &ExternalFacts::runnable_mean);
  found->runnable_workers = mean_of(scene, &ExternalFacts::runnable_workers_mean);
  found->throttled_ms = throttled_step_ms(last);
  found->where = place_of_loader(last.external);
  return found;
}

}  // namespace benchbench
