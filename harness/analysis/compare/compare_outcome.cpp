#include "harness/analysis/compare/compare_outcome.h"

#include <algorithm>

namespace benchbench {
namespace {

// The second run was UNSURE: it neither confirms the alert nor shows that there is nothing.
bool is_open(const GatedComparison& r, const BrokenGate& broken) {
  const SlowerAlert* alert = alert_at(r, broken);
  return alert && alert->state == AlertState::unconfirmed && alert->again == Judged::unsure;
}

bool any_broken(const GateResult& gate, const GatedComparison& r,
                bool (*is)(const GatedComparison&, const BrokenGate&)) {
  return std::ranges::any_of(gate.broken, [&](const BrokenGate& b) { return is(r, b); });
}

bool has_invalid(const GatedComparison& r, const Gate& gate) {
  if (gate.of != GateOf::slower) return false;
  return std::ranges::any_of(r.found.points, [](const PointComparison& p) {
    return std::ranges::any_of(p.metrics, [](const MetricComparison& c) {
      return c.metric->is_rate() && c.judgement == Judged::invalid;
    });
  });
}

bool says_nothing(const GatedComparison& r, const GateResult& g) {
  if (g.gate.of == GateOf::verdict) return g.compared == 0;
  return g.silent + g.unsure == g.compared || has_invalid(r, g.gate);
}

}  // namespace

const SlowerAlert* alert_at(const GatedComparison& r, const BrokenGate& broken) {
  if (!r.confirmation || !broken.metric) return nullptr;
  for (const SlowerAlert& alert : r.confirmation->alerts)
    if (alert.point == broken.point && alert.metric == *broken.metric) return &alert;
  return nullptr;
}

bool stands(const GatedComparison& r, const BrokenGate& broken) {
  const SlowerAlert* alert = alert_at(r, broken);
  return !alert || alert->state != AlertState::unconfirmed;
}

CompareOutcome outcome_of(const GatedComparison& r) {
  using enum CompareOutcome;
  if (r.found.not_comparable == NotComparable::no_usable_trial) return nothing_usable;
  if (r.found.not_comparable != NotComparable::none || r.found.one_process) return inconclusive;
  bool open = r.found.says_nothing();
  for (const GateResult& g : r.gates) {
    if (any_broken(g, r, stands)) return regression;
    open = open || says_nothing(r, g) || any_broken(g, r, is_open);
  }
  return open ? inconclusive : passed;
}

}  // namespace benchbench
