#include "harness/analysis/summary/anchor_runs.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

std::vector<double> usable_logs(JudgedRecords runs) {
  std::vector<double> logs;
  for (const JudgedRecord& run : runs)
    if (const auto log = log_rate(run.record->facts); log && run.usable()) logs.push_back(*log);
  return logs;
}

}  // namespace

std::vector<AnchorRun> anchor_runs(const Plan& plan, const JudgedTrials& trials) {
  const auto runs = trials.of(plan.anchor);
  const std::vector<double> logs = usable_logs(runs);
  if (logs.empty()) return {};
  const double middle = lower_median(logs);
  std::vector<AnchorRun> out;
  for (const JudgedRecord& run : runs)
    if (const auto log = log_rate(run.record->facts))
      out.push_back(
          {run.record->sequence, run.record->planned.round, run.status, std::exp(*log - middle)});
  std::ranges::sort(out, {}, &AnchorRun::sequence);
  return out;
}

}  // namespace benchbench
