#include <algorithm>

#include "harness/analysis/faults/external_findings.h"

namespace benchbench {
namespace {

std::optional<double> beyond_indexing(const ExternalWindow& w) {
  const auto& direct = w.external.direct_ns;
  if (!direct || *direct < 0 || !w.wait_ms) return std::nullopt;
  return std::max(0.0, *w.wait_ms - static_cast<double>(*direct) * 1e-6);
}

}  // namespace

std::optional<ExternalFinding> in_memory(const ExternalScene& scene) {
  auto found = costing(ExternalFault::in_memory, scene, beyond_indexing);
  if (!found) return std::nullopt;
  const auto direct = scene.trial.mean([](const ExternalWindow& w) -> std::optional<double> {
    return beyond_indexing(w) ? std::optional(static_cast<double>(*w.external.direct_ns) * 1e-6)
                              : std::nullopt;
  });
  found->direct_ms = direct->value;
  found->where = place_of_loader(*scene.trial.last()->external);
  return found;
}

}  // namespace benchbench
