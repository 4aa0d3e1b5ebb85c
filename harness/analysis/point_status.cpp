#include "harness/analysis/point_status.h"

#include <fmt/format.h>

#include <algorithm>

namespace benchbench {
namespace {

// From best to worst, for a point whose modes differ.
int rank(Status s) {
  switch (s) {
    case Status::valid:
      return 0;
    case Status::noisy:
      return 1;
    case Status::skipped:
      return 2;
    case Status::aborted:
      return 3;
    case Status::invalid:
      return 4;
    case Status::failed:
      return 5;
  }
  return 5;
}

void keep(std::vector<Reason>& reasons, const Reason& reason) {
  const bool known = std::any_of(reasons.begin(), reasons.end(), [&](const Reason& r) {
    return reason.rule.empty() ? r.text == reason.text : r.rule == reason.rule;
  });
  if (!known) reasons.push_back(reason);
}

Status status_of_mode(const Trial& trial, std::span<const JudgedRecord> records,
                      std::vector<Reason>& reasons) {
  if (records.empty() && trial.skip) {
    keep(reasons, {"", false, *trial.skip});
    return Status::skipped;
  }
  Status worst = Status::valid;
  bool usable = false;
  for (const JudgedRecord& judged : records) {
    usable = usable || judged.usable();
    if (rank(judged.status) > rank(worst)) worst = judged.status;
    for (const Reason& r : judged.reasons) keep(reasons, r);
  }
  if (!usable) return records.empty() ? Status::aborted : worst;
  const bool doubted = worst == Status::noisy || worst == Status::invalid || worst == Status::failed;
  return doubted ? Status::noisy : Status::valid;
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
    out.modes[static_cast<std::size_t>(mode)] = s;
    if (rank(s) > rank(out.status)) out.status = s;
  }
  return out;
}

}  // namespace benchbench
