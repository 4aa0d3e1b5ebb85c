#include "harness/tune/tune_figures.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/tune/levels.h"

namespace benchbench {
namespace {

Levels levels_in(const TuneFindings& r) {
  return levels_of(r.records, r.problem.floor / kFloorInNoise);
}

std::optional<double> cpu_of(const TuneFindings& r, PointId point) {
  return mean_known(with_rate(r.records), [&](const Observation& o) {
    return o.point == point ? o.cpu_seconds_per_sample : std::nullopt;
  });
}

}  // namespace

std::optional<double> memory_of(const TuneFindings& r, PointId point) {
  std::optional<double> most;
  for (const Observation& o : with_rate(r.records))
    if (o.point == point && o.memory_bytes) most = std::max(most.value_or(0), *o.memory_bytes);
  return most;
}

std::vector<PointFigures> figures_of(const TuneFindings& r) {
  std::vector<PointFigures> out;
  for (const Level& l : levels_in(r).points)
    out.push_back({l.point, std::exp(l.log_rate), l.n, memory_of(r, l.point), cpu_of(r, l.point)});
  std::ranges::stable_sort(out, std::greater{}, &PointFigures::rate);
  return out;
}

std::vector<PointFigures> pareto_of(std::vector<PointFigures> points) {
  const auto is_no_more = [](const std::optional<double>& a, const std::optional<double>& b) {
    return !a || !b || *a <= (1 + kWorth) * *b;
  };
  std::vector<PointFigures> out;
  for (PointFigures& p : points) {
    const auto beats = [&](const PointFigures& faster) {
      return is_no_more(faster.memory_bytes, p.memory_bytes) &&
             is_no_more(faster.cpu_seconds_per_sample, p.cpu_seconds_per_sample);
    };
    if (std::ranges::none_of(out, beats)) out.push_back(p);
  }
  return out;
}

std::vector<KnobWorth> worths_of(const TuneFindings& r) {
  const Space& space = r.problem.space;
  const Levels levels = levels_in(r);
  const PointId found = r.result.found, present = r.problem.present_point();
  std::vector<KnobWorth> out;
  for (const std::size_t k : space.knob_indexes()) {
    if (space.index(found, k) == space.index(present, k)) continue;
    const PointId back = space.with(found, k, space.index(present, k));
    if (back == found) continue;
    out.push_back({k, space.has_effect(present, k), ratio_in_levels(levels, found, back)});
  }
  return out;
}

}  // namespace benchbench
