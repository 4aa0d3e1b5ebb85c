#include "harness/analysis/problems.h"
#include "harness/record/setting_keys.h"

#include <algorithm>
#include <map>
#include <set>

namespace benchbench {
namespace {

constexpr std::size_t kFaultsKept = 32;

// What did not run comes last, else the worst first.
std::pair<bool, int> place_of(Status s) {
  return {s == Status::aborted || s == Status::skipped, -badness(s)};
}

// Rounds that measure.stop_at made needless are not missed: those beyond `rounds` that never began.
std::uint32_t missing_slots(const Plan& plan, const JudgedTrials& trials) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  std::uint32_t begun = plan.scenario.base.has(keys::measure.stop_at) ? plan.rounds : ~0u;
  for (const JudgedRecord& j : trials.all()) {
    seen.insert({j.record->planned.trial, j.record->planned.round, j.record->planned.repeat});
    begun = std::max(begun, j.record->planned.round + 1);
  }
  return static_cast<std::uint32_t>(
      std::count_if(plan.order.begin(), plan.order.end(), [&](const PlannedRun& s) {
        return s.trial < plan.trials.size() && !plan.trials[s.trial].skip && s.round < begun &&
               !seen.contains({s.trial, s.round, s.repeat});
      }));
}

}  // namespace

std::vector<Problem> problems_of(const JudgedTrials& trials) {
  // A cause that is no rule groups by the first line of its text: what follows, such as a
  // traceback, may differ in addresses.
  std::map<std::tuple<std::pair<bool, int>, std::string, std::string>, Problem> groups;
  for (const JudgedRecord& judged : trials.all()) {
    if (judged.status == Status::valid) continue;
    const PlannedRun& planned = judged.record->planned;
    auto reasons = judged.reasons;
    if (reasons.empty()) reasons.push_back({"", false, "no reason was recorded"});
    for (const Reason& r : reasons) {
      // A warning beside what makes a trial INVALID keeps its own group.
      const Status shown = r.rule.empty() ? judged.status : status_by(r.invalid);
      Problem& problem = groups[{place_of(shown), r.rule,
                                 r.rule.empty() ? r.text.substr(0, r.text.find('\n')) : ""}];
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
    if (point.skip && std::all_of(point.trials.begin(), point.trials.end(), unrecorded))
      by_reason[*point.skip].points.push_back(point.index);
  for (const Trial& trial : plan.trials) {
    const bool whole_points =
        std::all_of(trial.points.begin(), trial.points.end(),
                    [&](std::uint32_t p) { return p < plan.points.size() && plan.points[p].skip; });
    if (trial.skip && !whole_points && trials.of(trial.index).empty())
      by_reason[*trial.skip].trials.push_back(trial.index);
  }
  std::vector<PlannedSkip> skips;
  for (auto& [why, skip] : by_reason)
    skips.push_back({why, std::move(skip.points), std::move(skip.trials)});
  return skips;
}

void count_trials(const Plan& plan, const JudgedTrials& trials, Findings& out) {
  for (const JudgedRecord& judged : trials.all())
    ++out.trials[static_cast<std::size_t>(judged.status)];
  for (const Trial& trial : plan.trials)
    if (trial.skip && trials.of(trial.index).empty())
      ++out.trials[static_cast<std::size_t>(Status::skipped)];
  out.trials_recorded = static_cast<std::uint32_t>(trials.all().size());
  out.trials_missing = missing_slots(plan, trials);
}

void collect_faults(const JudgedTrials& trials, Findings& out) {
  std::map<std::uint64_t, FaultySample> by_id;
  for (const JudgedRecord& judged : trials.all())
    for (const FaultySample& sample : judged.record->facts.content.faults) {
      const auto [at, fresh] = by_id.try_emplace(sample.id, sample);
      if (!fresh && at->second.kind == FaultKind::warning) at->second = sample;
    }
  for (auto& [id, sample] : by_id) {
    if (sample.kind != FaultKind::warning) ++out.faulty_samples;
    out.faults.push_back(std::move(sample));
  }
  std::stable_sort(out.faults.begin(), out.faults.end(),
                   [](const FaultySample& a, const FaultySample& b) {
                     return a.kind != FaultKind::warning && b.kind == FaultKind::warning;
                   });
  if (out.faults.size() > kFaultsKept) out.faults.resize(kFaultsKept);
}

}  // namespace benchbench
