#include <algorithm>

#include "harness/analysis/external/external_findings.h"

namespace benchbench {
namespace {

std::uint32_t active_workers(const ExternalFacts& e) {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(e.workers, [](const ExternalWorker& w) { return w.samples > 0 || w.batches > 0; }));
}

// Then all of an epoch's are made at once, and more workers would make none sooner.
bool has_few_batches(const ExternalWindow& w) { return w.batches_an_epoch && *w.batches_an_epoch < w.workers; }

// Whether every worker had its turn: batches are asked of one after the other.
bool all_were_asked(const ExternalWindow& w) {
  std::uint64_t batches = 0;
  for (const ExternalWorker& each : w.external.workers) batches += each.batches;
  return batches >= 2 * w.external.workers.size() && !has_few_batches(w);
}

std::optional<double> idle_ms(const ExternalWindow& w) {
  const std::uint32_t active = active_workers(w.external);
  if (w.external.workers.size() < 2 || active == 0 || !all_were_asked(w) || !w.wait_ms) return std::nullopt;
  const double idle = 1 - static_cast<double>(active) / static_cast<double>(w.external.workers.size());
  return std::min({w.step_ms * idle, *w.wait_ms, w.free_of_cores_ms()});
}

void keep_under(Measured& cost, const Measured& most) {
  if (!cost || !most) return;
  for (double* v : {&cost->value, &cost->low, &cost->high}) *v = std::min(*v, std::max(0.0, most->value));
}

}  // namespace

std::optional<ExternalFinding> idle_workers(const ExternalScene& scene) {
  auto found = costing(ExternalFault::idle_workers, scene, idle_ms);
  if (!found) return std::nullopt;
  if (found->mode == Mode::pipeline) keep_under(found->ms, scene.point.loader_cost_ms);
  found->share = found->ms->value / found->step_ms->value;
  if (found->share < kFaultShare) return std::nullopt;
  const auto last = external_window(*scene.trial.last(), scene.trial.workers_asked());
  found->idle = found->workers - std::min(found->workers, active_workers(last->external));
  if (found->idle == 0) return std::nullopt;  // in an earlier round only
  found->batches_an_epoch = last->batches_an_epoch.value_or(0);
  found->where = last->external.getitem_where.empty() ? place_of_data(last->external) : last->external.getitem_where;
  return found;
}

}  // namespace benchbench
