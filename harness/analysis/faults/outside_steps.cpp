#include <algorithm>

#include "harness/analysis/faults/external_findings.h"

namespace benchbench {
namespace {

// The workers that start again for each pass where these cost most, else the largest part.
void take_largest(const JobTime& job, const ExternalFacts& last, ExternalFinding& found) {
  const auto restarted = find_started_workers(job);
  const JobPart& part = restarted ? *restarted : largest_beside_epochs(job);
  if (const auto* remade = find_remade(last, part.made)) found.numbers = remade->numbers;
  found.where = part.where;
  found.what = part.loader;
  found.workers = part.workers;
  found.count = static_cast<std::uint32_t>(part.count);
}

}  // namespace

std::optional<ExternalFinding> outside_steps(const ExternalScene& scene) {
  auto job = job_time_in(scene.trial);
  const double share = job ? share_beside_epochs(*job) : 0;
  if (share < kOutsideShare) return std::nullopt;
  const ExternalFacts& last = *scene.trial.last()->external;
  ExternalFinding found = finding_of(ExternalFault::outside_steps, scene);
  const double step_ms = 1e3 * job->seconds / static_cast<double>(last.ledger->batches);
  found.ms = known_once(share * step_ms);
  found.step_ms = known_once(step_ms);
  found.share = share;
  take_largest(*job, last, found);
  found.job = std::move(job);
  return found;
}

}  // namespace benchbench
