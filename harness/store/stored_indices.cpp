#include "harness/store/stored_indices.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench {
namespace {

void require_below(std::uint64_t index, std::size_t count, std::string_view what,
                   std::string_view thing, const std::string& where) {
  if (index >= count)
    throw StoreError(
        fmt::format("the {} is damaged: {}: {} {} of {}", what, where, thing, index, count));
}

void require_place(std::uint64_t index, std::size_t place, const std::string& where) {
  if (index != place)
    throw StoreError(
        fmt::format("the plan is damaged: {}.index: {} at place {}", where, index, place));
}

void check_point(const Point& point, std::size_t at, std::size_t trials) {
  require_place(point.index, at, fmt::format("points[{}]", at));
  for (std::size_t i = 0; i < point.trials.size(); ++i)
    require_below(point.trials[i].second, trials, "plan", "trial",
                  fmt::format("points[{}].trials[{}]", at, i));
  for (std::size_t i = 0; i < point.ablations.size(); ++i)
    require_below(point.ablations[i].second, trials, "plan", "trial",
                  fmt::format("points[{}].ablations[{}]", at, i));
}

void check_trial(const Trial& trial, std::size_t at, std::size_t points) {
  require_place(trial.index, at, fmt::format("trials[{}]", at));
  for (std::size_t i = 0; i < trial.points.size(); ++i)
    require_below(trial.points[i], points, "plan", "point",
                  fmt::format("trials[{}].points[{}]", at, i));
}

}  // namespace

void check_indices(const Plan& plan) {
  const std::size_t points = plan.points.size(), trials = plan.trials.size();
  for (std::size_t i = 0; i < points; ++i) check_point(plan.points[i], i, trials);
  for (std::size_t i = 0; i < trials; ++i) check_trial(plan.trials[i], i, points);
  for (std::size_t i = 0; i < plan.order.size(); ++i)
    require_below(plan.order[i].trial, trials, "plan", "trial", fmt::format("order[{}].trial", i));
  if (plan.anchor != kNoAnchor && !plan.order.empty())
    require_below(plan.anchor, trials, "plan", "trial", "anchor");
}

void check_indices(const TrialRecord& record, const Plan& plan) {
  require_below(record.planned.trial, plan.trials.size(), "record", "trial", "planned.trial");
  for (std::size_t i = 0; i < record.trial.points.size(); ++i)
    require_below(record.trial.points[i], plan.points.size(), "record", "point",
                  fmt::format("trial.points[{}]", i));
}

}  // namespace benchbench
