#include "harness/analysis/history/moved_between.h"

#include <algorithm>

#include "harness/analysis/history/kept_values.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

NamedTimes means_of(const std::vector<StageTimes>& stages) {
  NamedTimes out;
  for (const StageTimes& stage : stages) {
    if (!stage.ms.empty()) out.emplace_back(stage.name, mean_of(values_in(stage.ms)));
  }
  return out;
}

// Nights stand for rounds; a stage that a night lacks took nothing in it.
std::vector<StageTimes> times_of_nights(const std::vector<NamedTimes>& nights) {
  std::vector<StageTimes> out;
  for (const NamedTimes& night : nights)
    for (const auto& [name, ms] : night)
      if (!contains(out, name, &StageTimes::name)) out.push_back({name, {}});
  for (StageTimes& stage : out)
    for (std::uint32_t i = 0; i < nights.size(); ++i) {
      const auto* taken = find_element(nights[i], stage.name, &NamedTimes::value_type::first);
      stage.ms[i] = taken ? taken->second : 0;
    }
  return out;
}

}  // namespace

// Nights of older versions do not part the wait for a core from that for data.
NamedTimes stages_of_night(const Plan& plan, std::span<const TrialRecord> records,
                           const std::string& series) {
  for (const Point& point : plan.points)
    for (const auto& [mode, trial] : point.trials) {
      if (series_digest(plan, point, mode) != series) continue;
      const JudgedTrials trials(plan, records);
      return means_of(mode == Mode::loader ? loader_stages_by_round(trials.of(trial))
                                           : step_parts_by_round(trials.of(trial), true));
    }
  return {};
}

std::optional<StageGrowth> moved_between(const std::vector<NamedTimes>& before,
                                         const std::vector<NamedTimes>& after, bool worse) {
  const auto growths =
      stage_growths(times_of_nights(before), times_of_nights(after), Rounds::apart);
  const StageGrowth* largest = largest_growth(growths, worse ? 1 : -1, 0);
  return largest ? std::optional(*largest) : std::nullopt;
}

}  // namespace benchbench
