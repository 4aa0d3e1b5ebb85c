#include "harness/analysis/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace benchbench {
namespace {

constexpr std::size_t kNamed = 3;
constexpr std::size_t kFaultsKept = 32;

int order_of(Status s) {
  switch (s) {
    case Status::failed:
      return 0;
    case Status::invalid:
      return 1;
    case Status::noisy:
      return 2;
    case Status::aborted:
      return 3;
    case Status::skipped:
      return 4;
    case Status::valid:
      return 5;
  }
  return 5;
}

// "base pipeline", "num_workers=4 trainer and 2 more points".
std::string trial_name(const Plan& plan, const Trial& trial) {
  std::string name = "trial";
  if (!trial.points.empty() && trial.points.front() < plan.points.size())
    name = plan.points[trial.points.front()].name();
  if (trial.mode == Mode::trainer && trial.points.size() > 1)
    name += fmt::format(" and {} more points", trial.points.size() - 1);
  return fmt::format("{} {}", name, name_of(trial.mode));
}

struct Mention {
  std::string trial;
  std::uint32_t round;
  std::string text;
};
using Group = std::vector<Mention>;
// Status, then rule; a cause that is no rule groups by its text.
using Groups = std::map<std::tuple<int, std::string, std::string>, Group>;

Groups group(const Plan& plan, const JudgedTrials& trials) {
  Groups groups;
  for (const JudgedRecord& judged : trials.all()) {
    if (judged.status == Status::valid) continue;
    const TrialRecord& record = *judged.record;
    const std::string name = trial_name(plan, plan.trials[record.planned.trial]);
    auto reasons = judged.reasons;
    if (reasons.empty()) reasons.push_back({"", false, "no reason was recorded"});
    for (const Reason& r : reasons) {
      // A doubt beside a void keeps its own line: it made nothing INVALID.
      const bool rule = !r.rule.empty();
      const Status shown = rule ? (r.invalid ? Status::invalid : Status::noisy) : judged.status;
      groups[{order_of(shown), r.rule, rule ? "" : r.text}].push_back({name, record.planned.round, r.text});
    }
  }
  return groups;
}

Status status_at(int order) {
  for (const Status s : {Status::failed, Status::invalid, Status::noisy, Status::aborted, Status::skipped})
    if (order_of(s) == order) return s;
  return Status::valid;
}

bool same_text(const Group& group) {
  return std::all_of(group.begin(), group.end(),
                     [&](const Mention& m) { return m.text == group.front().text; });
}

// "base pipeline round 1 (why), num_workers=4 loader rounds 1, 3, 2 more".
std::string mentions(const Group& group, bool with_text) {
  std::map<std::string, std::pair<std::set<std::uint32_t>, std::string>> by_trial;
  std::vector<std::string> order;
  for (const Mention& m : group) {
    auto [at, fresh] = by_trial.try_emplace(m.trial);
    if (fresh) order.push_back(m.trial), at->second.second = m.text;
    at->second.first.insert(m.round + 1);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kNamed); ++i) {
    const auto& [rounds, why] = by_trial[order[i]];
    text += fmt::format("{}{} round{} ", i ? "; " : "", order[i], rounds.size() > 1 ? "s" : "");
    std::size_t k = 0;
    for (const auto round : rounds) text += fmt::format("{}{}", k++ ? ", " : "", round);
    if (with_text) text += fmt::format(" ({})", why);
  }
  if (order.size() > kNamed) text += fmt::format("; {} more", order.size() - kNamed);
  return text;
}

std::string line_of(Status status, const std::string& rule, const Group& group, std::size_t recorded) {
  std::string head{name_of(status)};
  if (const Rule* known = find_rule(rule))
    head += fmt::format(" {} ({})", rule, known->name);
  else if (!rule.empty())
    head += ' ' + rule;
  if (!same_text(group)) return fmt::format("{}: {}", head, mentions(group, true));
  if (group.size() > kNamed && group.size() == recorded)
    return fmt::format("{}: {} (all {} trials)", head, group.front().text, recorded);
  return fmt::format("{}: {}: {}", head, group.front().text, mentions(group, false));
}

// What the plan itself knew to be impossible here, where no record says it again: reason -> points or trials.
void add_planned_skips(const Plan& plan, const JudgedTrials& trials, std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> by_reason;
  const auto unrecorded = [&](const auto& row) { return trials.of(row.second).empty(); };
  for (const Point& point : plan.points)
    if (point.skip && std::all_of(point.trials.begin(), point.trials.end(), unrecorded))
      by_reason[*point.skip].push_back(point.name());
  for (const Trial& trial : plan.trials) {
    const bool whole_points = std::all_of(trial.points.begin(), trial.points.end(), [&](std::uint32_t p) {
      return p < plan.points.size() && plan.points[p].skip;
    });
    if (trial.skip && !whole_points && trials.of(trial.index).empty())
      by_reason[*trial.skip].push_back(trial_name(plan, trial));
  }
  for (const auto& [reason, names] : by_reason)
    lines.push_back(fmt::format("SKIPPED: {}: {}", reason, fmt::join(names, ", ")));
}

// Rounds that measure.stop_at made needless are not missed: those beyond `rounds` that never began.
std::size_t missing_slots(const Plan& plan, const JudgedTrials& trials) {
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  std::uint32_t begun = plan.scenario.base.has("measure.stop_at") ? plan.rounds : ~0u;
  for (const JudgedRecord& j : trials.all()) {
    seen.insert({j.record->planned.trial, j.record->planned.round, j.record->planned.repeat});
    begun = std::max(begun, j.record->planned.round + 1);
  }
  return static_cast<std::size_t>(std::count_if(plan.order.begin(), plan.order.end(), [&](const PlannedRun& s) {
    return s.trial < plan.trials.size() && !plan.trials[s.trial].skip && s.round < begun &&
           !seen.contains({s.trial, s.round, s.repeat});
  }));
}

}  // namespace

std::vector<std::string> problems_of(const Plan& plan, const JudgedTrials& trials) {
  std::vector<std::string> lines;
  for (const auto& [key, group] : group(plan, trials))
    lines.push_back(line_of(status_at(std::get<0>(key)), std::get<1>(key), group, trials.all().size()));
  add_planned_skips(plan, trials, lines);
  if (const auto missing = missing_slots(plan, trials))
    lines.push_back(
        fmt::format("NOT RUN: {} of {} planned trials have no record", missing, plan.order.size()));
  return lines;
}

void count_trials(const Plan& plan, const JudgedTrials& trials, Findings& out) {
  for (const JudgedRecord& judged : trials.all()) switch (judged.status) {
      case Status::valid:
        ++out.trials_valid;
        break;
      case Status::noisy:
        ++out.trials_noisy;
        break;
      case Status::invalid:
        ++out.trials_invalid;
        break;
      case Status::failed:
        ++out.trials_failed;
        break;
      case Status::skipped:
        ++out.trials_skipped;
        break;
      case Status::aborted:
        ++out.trials_aborted;
        break;
    }
  for (const Trial& trial : plan.trials)
    if (trial.skip && trials.of(trial.index).empty()) ++out.trials_skipped;
  out.trials_missing = static_cast<std::uint32_t>(missing_slots(plan, trials));
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
  std::stable_sort(out.faults.begin(), out.faults.end(), [](const FaultySample& a, const FaultySample& b) {
    return a.kind != FaultKind::warning && b.kind == FaultKind::warning;
  });
  if (out.faults.size() > kFaultsKept) out.faults.resize(kFaultsKept);
}

}  // namespace benchbench
