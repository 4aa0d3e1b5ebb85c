#include <algorithm>

#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/rates/delivery.h"
#include "harness/analysis/rules/by_others.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {
namespace {

// Returns the step with the batches in order, or as they are ready.
double delivered_ms(const ExternalWindow& w, const MadeTimes& made, bool in_order) {
  const auto workers = static_cast<std::uint32_t>(made.of_each.size());
  return delivered_step_ms(made, {workers, w.external.prefetch_factor.value_or(2), in_order},
                           std::max(0.0, w.step_ms - *w.wait_ms));
}

std::optional<double> gain_ms(const ExternalWindow& w) {
  const auto made = made_times(w.external);
  if (!made || made->of_each.size() < 2 || !w.wait_ms) return std::nullopt;
  if (rules::cores_of_others(w.facts) > kBusyCores) return std::nullopt;
  if (!w.external.in_order.value_or(true)) return 0;
  const double in_order = delivered_ms(w, *made, true);
  if (std::abs(in_order - w.step_ms) > kForetold * w.step_ms) return std::nullopt;
  const double gain = in_order - delivered_ms(w, *made, false);
  // Batches that waited for a core are late in any order.
  const double delayed = w.per_step_ms(w.external.core_wait_loader_ns).value_or(0) /
                         static_cast<double>(made->of_each.size());
  return std::max(0.0, std::min({gain - delayed, *w.wait_ms, w.free_of_cores_ms()}));
}

}  // namespace

std::optional<ExternalFinding> uneven_samples(const ExternalScene& scene) {
  auto found = costing(ExternalFault::uneven, scene, gain_ms);
  if (!found || found->share < kFairPart) return std::nullopt;
  const ExternalFacts& last = *scene.trial.last()->external;
  if (auto made = made_times(last)) {
    std::ranges::sort(made->all);
    found->median_ms = made->all[(made->all.size() - 1) / 2];
    found->slowest_ms = made->all.back();
  }
  found->can_be_any_order = last.in_order.has_value();
  found->where = place_of_loader(last);
  return found;
}

}  // namespace benchbench
