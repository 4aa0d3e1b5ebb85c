#include "harness/app/compare/side_run.h"

#include <algorithm>
#include <utility>

namespace benchbench {
SideRun::SideRun(Plan plan, const std::string& folder, const TrialPlace& place)
    : plan_(std::move(plan)), session_(place, begin_run(folder, plan_, place.environment)) {}

SupervisorEnd SideRun::run(std::span<const PlannedRun> runs, const RunBudget& budget) {
  return session_.run(plan_, runs, {.isolation = read_isolation(plan_, true), .budget = budget});
}

std::string SideRun::why_all_failed() const {
  if (records().empty() || !std::ranges::all_of(records(), [](const TrialRecord& r) {
        return r.status == Status::failed || r.status == Status::skipped;
      }))
    return "";
  for (const TrialRecord& r : records())
    if (r.status == Status::failed && !r.reasons.empty()) return r.reasons.front().text;
  return "every trial was SKIPPED";
}

Plan plan_of_points(const Plan& plan, const std::set<std::uint32_t>& points, std::uint32_t rounds) {
  const auto wanted = [&](const PlannedRun& run) {
    return run.round == 0 &&
           std::ranges::any_of(plan.trials.at(run.trial).points,
                               [&](std::uint32_t p) { return points.contains(p); });
  };
  Plan out = plan;
  out.order.clear();
  out.rounds = rounds;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (PlannedRun run : plan.order)
      if (wanted(run)) {
        run.round = round;
        out.order.push_back(run);
      }
  return out;
}

}  // namespace benchbench
