#include "harness/analysis/summary/problems.h"

#include <algorithm>
#include <map>

namespace benchbench {
namespace {

// Orders by status, the worst first; trials that did not run come last.
std::pair<bool, int> place_of(Status s) {
  return {s == Status::aborted || s == Status::skipped, -badness(s)};
}

}  // namespace

std::vector<Problem> problems_of(const JudgedTrials& trials) {
  // A cause that is no rule groups by the first line of its text: what follows, such as a
  // traceback, may differ in addresses.
  std::map<std::tuple<std::pair<bool, int>, std::string, std::string>, Problem> groups;
  for (const JudgedRecord& judged : trials.all()) {
    if (judged.status == Status::valid) continue;
    const PlannedRun& planned = judged.record->planned;
    for (const Reason& r : given_reasons(judged)) {
      // A warning of a trial that is INVALID for another reason keeps its own group.
      const Status shown = status_shown(judged, r);
      Problem& problem =
          groups[{place_of(shown), r.rule, r.rule.empty() ? first_line(r) : std::string()}];
      problem.status = shown;
      problem.rule = r.rule;
      if (problem.details.empty()) problem.details = r.details;
      problem.mentions.push_back({planned.trial, planned.round, r.text});
    }
  }
  std::vector<Problem> problems;
  for (auto& [key, problem] : groups) problems.push_back(std::move(problem));
  return problems;
}

std::vector<PlannedSkip> planned_skips(const Plan& plan, const JudgedTrials& trials) {
  std::map<std::string, PlannedSkip> by_reason;
  const auto unrecorded = [&](const auto& row) { return trials.of(row.second).empty(); };
  for (const Point& point : plan.points)
    if (point.skip && std::ranges::all_of(point.trials, unrecorded))
      by_reason[*point.skip].points.push_back(point.index);
  for (const Trial& trial : plan.trials) {
    const bool whole_points = std::ranges::all_of(trial.points, [&](std::uint32_t p) {
      return p < plan.points.size() && plan.points[p].skip;
    });
    if (trial.skip && !whole_points && trials.of(trial.index).empty())
      by_reason[*trial.skip].trials.push_back(trial.index);
  }
  std::vector<PlannedSkip> skips;
  for (auto& [why, skip] : by_reason)
    skips.push_back({why, std::move(skip.points), std::move(skip.trials)});
  return skips;
}

}  // namespace benchbench
