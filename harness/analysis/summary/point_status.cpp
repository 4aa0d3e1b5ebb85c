#include "harness/analysis/summary/point_status.h"

#include <algorithm>

namespace benchbench {
namespace {

void keep(std::vector<Reason>& reasons, const Reason& reason) {
  const bool known = std::ranges::any_of(reasons, [&](const Reason& r) {
    return reason.rule.empty() ? r.text == reason.text : r.rule == reason.rule;
  });
  if (!known) reasons.push_back(reason);
}

// A round that ran and is not VALID; one that was ended from outside says nothing of the others.
bool is_spoiled(Status s) {
  return s == Status::noisy || s == Status::invalid || s == Status::failed;
}

Status status_of_mode(const Trial& trial, JudgedRecords records, std::vector<Reason>& reasons) {
  if (records.empty() && trial.skip) {
    keep(reasons, {"", false, *trial.skip});
    return Status::skipped;
  }
  Status worst_seen = Status::valid;
  bool spoiled = false;
  for (const JudgedRecord& judged : records) {
    spoiled |= is_spoiled(judged.status);
    worst_seen = worst(worst_seen, judged.status);
    for (const Reason& r : judged.reasons) keep(reasons, r);
  }
  if (!has_usable(records)) return records.empty() ? Status::aborted : worst_seen;
  return spoiled ? Status::noisy : Status::valid;
}

// The base's trial that other points share is the base's turn, not theirs.
bool had_no_turn(const Trial& trial, const Point& point, const JudgedTrials& trials) {
  return trials.of(trial.index).empty() ||
         (!trial.points.empty() && trial.points.front() != point.index);
}

}  // namespace

PointStatus point_status(const Plan& plan, const Point& point, const JudgedTrials& trials) {
  PointStatus out;
  if (point.skip) {
    out.status = Status::skipped;
    out.reasons.push_back({"", false, *point.skip});
  }
  for (const auto& [mode, trial] : point.trials) {
    if (trial >= plan.trials.size()) continue;
    if (point.skip && trials.of(trial).empty()) continue;
    const Status s = status_of_mode(plan.trials[trial], trials.of(trial), out.reasons);
    out.mode_status[static_cast<std::size_t>(mode)] = s;
    out.never_ran[static_cast<std::size_t>(mode)] =
        s == Status::aborted && had_no_turn(plan.trials[trial], point, trials);
    out.status = worst(out.status, s);
  }
  return out;
}

}  // namespace benchbench
