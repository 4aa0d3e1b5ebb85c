#include <algorithm>

#include "harness/analysis/faults/external_findings.h"

namespace benchbench {
namespace {

std::optional<double> idle_ms(const ExternalWindow& w) {
  const auto active = w.workers_with_data();
  if (w.external.workers.size() < 2 || !active || !w.wait_ms) return std::nullopt;
  const double idle =
      1 - static_cast<double>(*active) / static_cast<double>(w.external.workers.size());
  return std::min({w.step_ms * idle, *w.wait_ms, w.free_of_cores_ms()});
}

void keep_under(Measured& cost, const Measured& most) {
  if (!cost || !most) return;
  for (double* v : {&cost->value, &cost->low, &cost->high})
    *v = std::min(*v, std::max(0.0, most->value));
}

}  // namespace

std::optional<ExternalFinding> idle_workers(const ExternalScene& scene) {
  auto found = costing(ExternalFault::idle_workers, scene, idle_ms);
  if (!found) return std::nullopt;
  if (found->mode == Mode::pipeline) keep_under(found->ms, scene.point.loader_cost_ms);
  found->share = found->ms->value / found->step_ms->value;
  if (found->share < kWorth) return std::nullopt;
  const ExternalWindow last = scene.trial.last_window();
  const std::string& made_at = last.external.getitem_where;
  found->idle =
      found->workers - std::min(found->workers, last.workers_with_data().value_or(found->workers));
  if (found->idle == 0) return std::nullopt;  // in an earlier round only
  found->batches_an_epoch = last.batches_an_epoch.value_or(0);
  found->where = made_at.empty() ? place_of_data(last.external) : made_at;
  return found;
}

}  // namespace benchbench
