#include "harness/analysis/alarms/alarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/alarms/sights.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

// The one table of thresholds.
constexpr AlarmRow kAlarmRows[] = {
    {AlarmKind::memory, alarms::memory, 0.90, "share",
     "memory in use, of the host (what is not available to new programs) or of the cgroup's limit "
     "(without its page cache); the larger of both"},
    {AlarmKind::cores, alarms::cores, 0.95, "share",
     "cores in use by the process tree, of those available, "
     "while the trainer waits for batches or for a core over 1 % of the time"},
    {AlarmKind::throttled, alarms::throttled, 0.01, "share",
     "time in which the CPU quota of the cgroup stopped it"},
    {AlarmKind::memory_growth, alarms::memory_growth, 0.01, "share/min",
     "growth of memory a minute from round to round, of the process or the cgroup; only "
     "with an interval above the limit"},
    {AlarmKind::loader_growth, alarms::loader_growth, 0.05, "share",
     "growth of the loader's time per sample from the first round to the last; only with an "
     "interval above the limit, and without rounds in which other programs ran"},
    {AlarmKind::exposed_wait, alarms::exposed_wait, 0.10, "share",
     "time of the pipeline's window in which the trainer, or its device, waited for batches"},
    {AlarmKind::other_writes, alarms::other_writes, 0.05, "share",
     "bytes written by the trial's process (checkpoints, logs) to the disk that the data are on, "
     "of all bytes of that disk"},
    {AlarmKind::disk, alarms::disk, 0.90, "share",
     "rate of the disk that the data are on, of the cold reads that `doctor --write` measured"},
    {AlarmKind::network, alarms::network, 0.90, "share",
     "rate received from the network, of the ceiling in machine.yaml"},
    {AlarmKind::device_idle, alarms::device_idle, 0.10, "share",
     "time of the pipeline's window in which no step's work was on the device"},
    {AlarmKind::device_memory, alarms::device_memory, 0.95, "share",
     "memory of the GPU in use by all processes"},
};
static_assert(std::size(kAlarmRows) == kWordsOf<AlarmKind>.size());

double limit_of(const AlarmRow& row, const Scenario& scenario) {
  const std::string key = fmt::format("measure.alarms.{}", name_of(row.kind));
  return scenario.base.given(key) ? scenario.base.real(key) : row.limit;
}

bool is_impossible(const AlarmSeen& seen) {
  return !(seen.value >= 0) || !std::isfinite(seen.value);
}

std::vector<std::uint32_t> points_above(const std::vector<AlarmSeen>& all, double limit) {
  std::vector<std::uint32_t> points;
  for (const AlarmSeen& seen : all)
    if (seen.compared() > limit && seen.point && !contains(points, *seen.point))
      points.push_back(*seen.point);
  std::ranges::sort(points);
  return points;
}

Alarm judged_alarm(const AlarmRow& row, double limit, alarms::Sight sight) {
  Alarm out{.kind = row.kind, .limit = limit, .worst = {}};
  if (!sight.measured) {
    out.why = std::move(sight.why);
    return out;
  }
  // A probe whose numbers cannot be is for rule R18.
  std::erase_if(sight.seen, is_impossible);
  const auto worst = std::ranges::max_element(sight.seen, {}, &AlarmSeen::compared);
  if (worst != sight.seen.end()) out.worst = *worst;
  out.state =
      out.worst && out.worst->compared() > limit ? AlarmState::raised : AlarmState::not_raised;
  out.points = points_above(sight.seen, limit);
  return out;
}

}  // namespace

std::span<const AlarmRow> alarm_rows() noexcept { return kAlarmRows; }

std::vector<Alarm> alarms_of(const Plan& plan, const JudgedTrials& trials) {
  std::vector<Alarm> all;
  for (const AlarmRow& row : kAlarmRows)
    all.push_back(judged_alarm(row, limit_of(row, plan.scenario), row.look({plan, trials})));
  return all;
}

}  // namespace benchbench
