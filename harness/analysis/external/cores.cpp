#include <algorithm>
#include <cmath>

#include "harness/analysis/external/external_findings.h"

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

// Threads beyond one of each process that has work, and beyond the cores: pools of threads.
bool has_pools(const ExternalWindow& w) {
  if (!(w.cores() > 0) || !w.external.runnable_mean) return false;
  return *w.external.runnable_mean > kMoreThreads * std::max(w.cores(), working(w) + 1.0);
}

std::optional<double> limit_cost(const ExternalWindow& w) {
  const auto waited = core_wait_ms(w);
  const double throttled = throttled_step_ms(w);
  if (!waited && !(throttled > 0)) return std::nullopt;
  return misreads_limit(w) ? std::max(waited.value_or(0), throttled) : 0;
}

std::optional<double> pools_cost(const ExternalWindow& w) {
  const auto waited = core_wait_ms(w);
  return waited ? std::optional(has_pools(w) ? *waited : 0) : std::nullopt;
}

}  // namespace

std::optional<ExternalFinding> waits_for_cores(const ExternalScene& scene) {
  auto found = costing(ExternalFault::cpu_limit, scene, limit_cost);
  if (!found) found = costing(ExternalFault::threads, scene, pools_cost);
  if (!found) return std::nullopt;
  const auto last = external_window(*scene.trial.last(), scene.trial.workers_asked());
  found->cpu_count = last->external.cpu_count.value_or(0);
  found->threads = last->external.threads.value_or(0);
  found->runnable = last->external.runnable_mean.value_or(0);
  found->throttled_ms = throttled_step_ms(*last);
  found->where = place_of_loader(last->external);
  return found;
}

}  // namespace benchbench
