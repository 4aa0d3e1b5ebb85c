#include "harness/analysis/choice/against_base.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/choice/another_job.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

Mode compared_mode(const Plan& plan) {
  for (const Mode mode : {Mode::pipeline, Mode::loader})
    if (std::ranges::any_of(plan.points,
                            [&](const Point& p) { return trial_of(p, mode).has_value(); }))
      return mode;
  return Mode::trainer;
}

}  // namespace

AgainstBase compare_with_base(const Plan& plan, const std::vector<PointFindings>& points,
                              const JudgedTrials& trials, double floor, bool exact) {
  AgainstBase out;
  out.mode = compared_mode(plan);
  for (const Point& p : plan.points) out.logs.push_back(trials.log_rates(trial_of(p, out.mode)));
  out.effects.resize(plan.points.size());
  if (plan.points.empty() || out.logs.front().empty()) return out;
  out.base_usable = true;
  const auto meets_base = [&](std::uint32_t i) {
    return !is_for_another_device(plan, i) &&
           std::ranges::any_of(
               out.logs[i], [&](const auto& row) { return out.logs.front().contains(row.first); });
  };
  for (std::uint32_t i = 1; i < out.logs.size(); ++i) out.compared += meets_base(i);
  out.rule = {floor, out.compared, exact};
  for (std::uint32_t i = 1; i < out.logs.size(); ++i)
    if (!shuffle_otherwise(plan, points, i, 0) && !is_for_another_device(plan, i))
      out.effects[i] = out.between(i, 0);
  return out;
}

std::vector<OverBase> over_base(const AgainstBase& against) {
  std::vector<OverBase> out(against.effects.size());
  for (std::uint32_t point = 1; point < out.size(); ++point) {
    static_cast<Paired&>(out[point]) = against.between(point, 0);
    for (const auto& [round, log] : against.logs[point])
      if (const double* base = find_value(against.logs.front(), round))
        out[point].by_round[round] = std::exp(log - *base);
  }
  return out;
}

}  // namespace benchbench
