#include "harness/analysis/components/stage_growth.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

// Adds up what the repeats of a round took, divided by their steps. A stage that some round did not
// meter took nothing there.
std::vector<StageTimes> times_by_round(
    JudgedRecords records, const std::function<std::optional<TimeParts>(const Facts&)>& parts_of) {
  std::vector<StageTimes> out;
  ByRound steps;
  for (const JudgedRecord& judged : records) {
    const Facts& f = judged.record->facts;
    if (!judged.usable() || f.window.steps == 0 || f.window.ns <= 0) continue;
    const auto parts = parts_of(f);
    if (!parts) continue;
    steps[judged.record->planned.round] += window_steps(f);
    for (const auto& [name, ns] : *parts) {
      StageTimes* stage = find_element(out, name, &StageTimes::name);
      if (!stage) stage = &out.emplace_back(StageTimes{std::string(name), {}});
      stage->ms[judged.record->planned.round] += ns;
    }
  }
  for (StageTimes& stage : out)
    for (const auto& [round, n] : steps) stage.ms[round] = stage.ms[round] * 1e-6 / n;
  return out;
}

std::optional<TimeParts> step_parts(const Facts& f, bool whole_gets) {
  if (f.window.get_blocked.n == 0 && f.window.loop.step_ns == 0) return std::nullopt;
  HostTimeline line = host_timeline(f);
  for (auto& [name, ns] : line.parts)
    if (whole_gets && name == "core_wait") name = "get_blocked";
  line.parts.emplace_back("other", line.other_ns);
  return line.parts;
}

std::optional<TimeParts> loader_parts(const Facts& f) {
  const bool has_workers = f.workers.count > 0 && f.workers.wall_ns > 0;
  TimeParts parts = loader_stages(f);
  double staged = 0;
  for (const auto& [name, ns] : parts) staged += ns;
  if (has_workers) parts.emplace_back("other", static_cast<double>(f.workers.fill_ns) - staged);
  return has_workers || staged > 0 ? std::optional(parts) : std::nullopt;
}

ByRound keep_finite(ByRound rounds) {
  std::erase_if(rounds, [](const auto& entry) { return !std::isfinite(entry.second); });
  return rounds;
}

}  // namespace

std::vector<StageTimes> step_parts_by_round(JudgedRecords records, bool whole_gets) {
  return times_by_round(records, [=](const Facts& f) { return step_parts(f, whole_gets); });
}

bool are_gets_whole(JudgedRecords records) {
  return std::ranges::any_of(records, [](const JudgedRecord& judged) {
    return judged.usable() && !judged.record->facts.window.loop.core_wait_ns;
  });
}

std::vector<StageTimes> loader_stages_by_round(JudgedRecords records) {
  return times_by_round(records, loader_parts);
}

ByRound step_ms_by_round(JudgedRecords records) {
  const auto whole = times_by_round(
      records, [](const Facts& f) { return std::optional(TimeParts{{"step", window_ns(f)}}); });
  return whole.empty() ? ByRound{} : whole.front().ms;
}

Measured growth_of(const ByRound& a, const ByRound& b, Rounds rounds, double intervals) {
  const double errors = kErrors / intervals;
  const ByRound of_a = keep_finite(a), of_b = keep_finite(b);
  return rounds == Rounds::shared ? rank_shift_of_pairs(differences_within(of_a, of_b), errors)
                                  : rank_shift_of_sets(values_in(of_a), values_in(of_b), errors);
}

namespace {

// 0 in every round where that side has no such stage.
ByRound times_of(const std::vector<StageTimes>& stages, const std::string& name) {
  if (const StageTimes* stage = find_element(stages, name, &StageTimes::name)) return stage->ms;
  ByRound none = stages.front().ms;
  for (auto& [round, ms] : none) ms = 0;
  return none;
}

std::vector<std::string> names_of(const std::vector<StageTimes>& a,
                                  const std::vector<StageTimes>& b) {
  std::vector<std::string> names;
  for (const auto* stages : {&a, &b})
    for (const StageTimes& s : *stages)
      if (!contains(names, s.name)) names.push_back(s.name);
  return names;
}

}  // namespace

std::vector<StageGrowth> stage_growths(const std::vector<StageTimes>& a,
                                       const std::vector<StageTimes>& b, Rounds rounds) {
  std::vector<StageGrowth> out;
  if (a.empty() || b.empty()) return out;
  const auto names = names_of(a, b);
  for (const std::string& name : names)
    if (const Measured ms = growth_of(times_of(a, name), times_of(b, name), rounds,
                                      static_cast<double>(names.size())))
      out.push_back({name, *ms});
  std::ranges::stable_sort(out, std::greater{},
                           [](const StageGrowth& g) { return std::abs(g.ms.value); });
  return out;
}

const StageGrowth* largest_growth(const std::vector<StageGrowth>& growths, int sign,
                                  double least_ms) noexcept {
  const Difference wanted = sign > 0 ? Difference::faster : Difference::slower;
  for (const StageGrowth& g : growths)
    if (decide(g.ms, least_ms) == wanted) return &g;
  return nullptr;
}

}  // namespace benchbench
