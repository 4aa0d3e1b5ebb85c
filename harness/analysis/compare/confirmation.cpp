#include "harness/analysis/compare/confirmation.h"

#include <algorithm>

namespace benchbench {
namespace {

const MetricComparison* same_in(const ComparisonFindings& second, const PointComparison& point,
                                const Metric& metric) {
  for (const PointComparison& p : second.points)
    if (p.a == point.a && p.b == point.b)
      for (const MetricComparison& c : p.metrics)
        if (c.metric == &metric) return &c;
  return nullptr;
}

AlertState state_after(Judged again) {
  if (again == Judged::slower) return AlertState::confirmed;
  return again == Judged::invalid ? AlertState::kept : AlertState::unconfirmed;
}

}  // namespace

std::vector<SlowerAlert> alerts_of(const ComparisonFindings& findings) {
  std::vector<SlowerAlert> out;
  for (std::size_t p = 0; p < findings.points.size(); ++p)
    for (std::size_t m = 0; m < findings.points[p].metrics.size(); ++m)
      if (findings.points[p].metrics[m].judgement == Judged::slower)
        out.push_back({.point = p, .metric = m});
  return out;
}

void settle(std::vector<SlowerAlert>& alerts, const ComparisonFindings& first,
            const ComparisonFindings& second) {
  for (SlowerAlert& alert : alerts) {
    const PointComparison& point = first.points[alert.point];
    const MetricComparison* again = same_in(second, point, *point.metrics[alert.metric].metric);
    if (!again || second.not_comparable != NotComparable::none) continue;
    alert.again = again->judgement;
    alert.change = again->change;
    alert.state = state_after(again->judgement);
  }
}

}  // namespace benchbench
