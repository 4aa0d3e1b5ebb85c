#include "harness/analysis/components/stage_growth.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/core/contains.h"
#include "harness/core/find.h"

namespace benchbench {
namespace {

// Adds up what the repeats of a round took, and divides by their steps at the end.
class StageSums {
 public:
  void add(const std::string& name, std::uint32_t round, double ns) {
    if (!contains(names_, name)) names_.push_back(name);
    sums_[name][round] += ns;
  }
  void add_steps(std::uint32_t round, double steps) { steps_[round] += steps; }
  // A stage that some round did not meter took nothing there.
  std::vector<StageTimes> times() const {
    std::vector<StageTimes> out;
    for (const std::string& name : names_) {
      StageTimes stage{name, {}};
      const ByRound& sums = sums_.at(name);
      for (const auto& [round, steps] : steps_) {
        const double* sum = find_value(sums, round);
        stage.ms[round] = (sum ? *sum : 0) * 1e-6 / steps;
      }
      out.push_back(std::move(stage));
    }
    return out;
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, ByRound> sums_;
  ByRound steps_;
};

std::vector<StageTimes> sums_of(
    std::span<const JudgedRecord> records,
    const std::function<bool(const Facts&, std::uint32_t, StageSums&)>& add) {
  StageSums sums;
  for (const JudgedRecord& judged : records) {
    const Facts& f = judged.record->facts;
    const std::uint32_t round = judged.record->planned.round;
    if (!judged.usable() || f.window.steps == 0 || f.window.ns <= 0) continue;
    if (add(f, round, sums)) sums.add_steps(round, static_cast<double>(f.window.steps));
  }
  return sums.times();
}

bool add_step_parts(const Facts& f, std::uint32_t round, StageSums& sums, bool whole_gets) {
  if (f.window.get_blocked.n == 0 && f.window.loop.step_ns == 0) return false;
  const HostTimeline line = host_timeline(f);
  for (const auto& [name, ns] : line.parts)
    sums.add(whole_gets && name == "core_wait" ? "get_blocked" : std::string(name), round, ns);
  sums.add("other", round, line.other_ns);
  return true;
}

bool add_loader_stages(const Facts& f, std::uint32_t round, StageSums& sums) {
  const bool has_workers = f.workers.count > 0 && f.workers.wall_ns > 0;
  double staged = 0;
  for (const Stage s : kLoaderStages) {
    if (total_of(f, s).count == 0) continue;
    sums.add(std::string(name_of(s)), round, static_cast<double>(total_of(f, s).ns));
    staged += static_cast<double>(total_of(f, s).ns);
  }
  if (has_workers) sums.add("other", round, static_cast<double>(f.workers.fill_ns) - staged);
  return has_workers || staged > 0;
}

ByRound keep_finite(ByRound rounds) {
  std::erase_if(rounds, [](const auto& entry) { return !std::isfinite(entry.second); });
  return rounds;
}

}  // namespace

std::vector<StageTimes> step_parts_by_round(std::span<const JudgedRecord> records,
                                            bool whole_gets) {
  return sums_of(records, [=](const Facts& f, std::uint32_t round, StageSums& sums) {
    return add_step_parts(f, round, sums, whole_gets);
  });
}

bool are_gets_whole(std::span<const JudgedRecord> records) {
  return std::ranges::any_of(records, [](const JudgedRecord& judged) {
    return judged.usable() && !judged.record->facts.window.loop.core_wait_ns;
  });
}

std::vector<StageTimes> loader_stages_by_round(std::span<const JudgedRecord> records) {
  return sums_of(records, add_loader_stages);
}

ByRound step_ms_by_round(std::span<const JudgedRecord> records) {
  const auto whole = sums_of(records, [](const Facts& f, std::uint32_t round, StageSums& sums) {
    sums.add("step", round, static_cast<double>(f.window.ns));
    return true;
  });
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
  const std::vector<std::string> names = names_of(a, b);
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
