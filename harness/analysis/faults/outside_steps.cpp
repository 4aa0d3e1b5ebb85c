#include <algorithm>

#include "harness/analysis/faults/external_findings.h"

namespace benchbench {
std::optional<ExternalFinding> outside_steps(const ExternalScene& scene) {
  auto job = job_time_in(scene.trial);
  const double share = job ? share_beside_epochs(*job) : 0;
  if (share < kOutsideShare) return std::nullopt;
  ExternalFinding found;
  found.fault = ExternalFault::outside_steps;
  found.point = scene.trial.point.index;
  found.mode = scene.trial.mode;
  const double batches = static_cast<double>(scene.trial.last()->external->ledger->batches);
  const double step_ms = 1e3 * job->seconds / batches, ms = share * step_ms;
  found.ms = Estimate{ms, ms, ms, 1};
  found.step_ms = Estimate{step_ms, step_ms, step_ms, 1};
  found.share = share;
  const auto restarted = find_started_workers(*job);
  const JobPart& most = restarted ? *restarted : largest_beside_epochs(*job);
  if (const auto* remade = find_remade(*scene.trial.last()->external, most.made))
    found.numbers = remade->numbers;
  found.where = most.where;
  found.what = most.loader;
  found.workers = most.workers;
  found.count = static_cast<std::uint32_t>(most.count);
  found.job = std::move(job);
  return found;
}

}  // namespace benchbench
