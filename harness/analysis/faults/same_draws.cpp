#include <algorithm>

#include "harness/analysis/faults/external_findings.h"

namespace benchbench {
namespace {

// Of one generator: the draws that repeat another's.
double repeated_share(const ExternalSameDraws& d) {
  const double alike = d.workers > 1 ? 1 - 1.0 / d.workers : 0;
  return d.every_epoch ? std::max(alike, 0.5) : alike;  // of two epochs one repeats the other
}

}  // namespace

std::optional<ExternalFinding> same_draws(const ExternalScene& scene) {
  ExternalFinding found = finding_of(ExternalFault::same_draws, scene);
  for (ExternalSameDraws d : scene.trial.last()->external->same_draws) {
    // Alone, or in the main process, none draws like another.
    d.workers = std::min(d.workers, found.workers);
    if (repeated_share(d) > 0) found.draws.push_back(std::move(d));
  }
  if (found.draws.empty()) return std::nullopt;
  std::ranges::stable_sort(found.draws, std::greater{}, repeated_share);
  found.share = repeated_share(found.draws.front());
  found.where = found.draws.front().where;
  return found;
}

}  // namespace benchbench
