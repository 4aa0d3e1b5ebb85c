// The members of a report that compare its points.
#pragma once
#include "harness/report/fields/point_fields.h"

namespace benchbench {

void visit_fields(const Paired& p, auto&& visit) {
  visit("shown", p.shown);
  visit("ratio", p.ratio);
  visit("detectable_share", p.detectable);
}

void visit_fields(const Recommended& r, auto&& visit) {
  visit("point", name_point(r.point));
  visit("choice", r.choice);
  visit("mode", r.mode);
  visit("compared", r.compared);
  visit("fastest", name_point(r.fastest));
  visit("over_base", r.over_base);
  visit("next", name_point(r.next));
  visit("over_next", r.over_next);
  visit("detectable_share", r.detectable);
}

void visit_fields(const AxisValueEffect& v, auto&& visit) {
  visit("value", v.label);
  visit("point", name_point(v.point));
  visit("status",
        [&](const ReportInput& in) { return PointWord{status_text(in.findings.points[v.point])}; });
  visit_fields(static_cast<const Paired&>(v), visit);
}
void visit_fields(const AxisEffect& axis, auto&& visit) {
  visit("axis", axis.key);
  visit("outcome", axis.outcome);
  visit("base", axis.base_label);
  visit("best", axis.best ? std::optional(axis.best_value()->label) : std::nullopt);
  visit("detectable_share", axis.detectable);
  visit("why", axis.why);
  visit("values", axis.values);
}

struct RoundRatio {
  std::uint32_t round = 0;
  double ratio = 0;
};
void visit_fields(const RoundRatio& r, auto&& visit) {
  visit("round", r.round);
  visit("ratio", r.ratio);
}

struct PointOverBase : OverBase {
  std::uint32_t point = 0;
};
void visit_fields(const PointOverBase& over, auto&& visit) {
  visit("point", name_point(over.point));
  visit_fields(static_cast<const Paired&>(over), visit);
  visit("by_round", [&] {
    std::vector<RoundRatio> rounds;
    for (const auto& [round, ratio] : over.by_round) rounds.push_back({round, ratio});
    return rounds;
  });
}
// All but the base's own.
inline std::vector<PointOverBase> points_over_base(const Findings& f) {
  std::vector<PointOverBase> points;
  for (std::uint32_t i = 1; i < f.over_base.size(); ++i) points.push_back({f.over_base[i], i});
  return points;
}

void visit_fields(const AnchorRun& r, auto&& visit) {
  visit("sequence", r.sequence);
  visit("round", r.round);
  visit("status", r.status);
  visit("ratio", r.ratio, "The rate over the median rate of all runs of this trial.");
}

// Findings::aa_floor.
struct NoiseFloor {
  Estimate share;
};
void visit_fields(const NoiseFloor& floor, auto&& visit) {
  visit("share_95", floor.share.value);
  visit("share_median", floor.share.low);
  visit("share_largest", floor.share.high);
  visit("pairs", floor.share.n);
}

}  // namespace benchbench
