#include <algorithm>

#include "harness/analysis/faults/external_findings.h"

namespace benchbench {
std::optional<ExternalFinding> outside_steps(const ExternalScene& scene) {
  auto job = job_time_in(scene.trial);
  const double share = job ? share_beside_epochs(*job) : 0;
  if (share < kOutsideShare) return std::nullopt;
  ExternalFinding found = finding_of(ExternalFault::outside_steps, scene);
  const double batches = static_cast<double>(scene.trial.last()->external->ledger->batches);
  const double step_ms = 1e3 * job->seconds / batches;
  found.ms = known_once(share * step_ms);
  found.step_ms = known_once(step_ms);
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
