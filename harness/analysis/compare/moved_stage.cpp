#include "harness/analysis/compare/moved_stage.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/analysis/compare/clean_pairs.h"
#include "harness/analysis/components/fault.h"
#include "harness/analysis/components/recovered.h"
#include "harness/analysis/components/stage_growth.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

constexpr const char* kWaited = "get_blocked";

struct Moved {
  Mode mode = Mode::pipeline;
  int sign = 1;             // +1: takes longer
  bool clean_only = false;  // its NOISY rounds were left out
};

// What is SLOWER before what is FASTER; the pipeline before its sides.
std::optional<Moved> moved_mode(const PointComparison& found) {
  for (const Judged judged : {Judged::slower, Judged::faster})
    for (const Mode mode : {Mode::pipeline, Mode::loader, Mode::trainer})
      for (const MetricComparison& c : found.metrics)
        if (c.metric->mode() == mode && c.judgement == judged)
          return Moved{mode, judged == Judged::slower ? 1 : -1, c.left_out > 0};
  return std::nullopt;
}

using RecordsOfSides = std::pair<std::vector<JudgedRecord>, std::vector<JudgedRecord>>;

// Returns those that the judgement is of, which compared_rounds() chooses alike: a stage is not
// hidden by rounds that the change was not judged by.
RecordsOfSides records_of(const PointOfRun& a, const PointOfRun& b, const Moved& moved,
                          Rounds rounds) {
  const auto of_a = a.trials.of(trial_of(a.point, moved.mode)),
             of_b = b.trials.of(trial_of(b.point, moved.mode));
  const RunFilter is_clean = clean_runs(of_a, of_b, rounds == Rounds::shared);
  const auto is_used = [&](const JudgedRecord& r) { return !moved.clean_only || is_clean(r); };
  RecordsOfSides out;
  std::ranges::copy_if(of_a, std::back_inserter(out.first), is_used);
  std::ranges::copy_if(of_b, std::back_inserter(out.second), is_used);
  return out;
}

Estimate negated(const Estimate& e) { return {-e.value, -e.high, -e.low, e.n}; }

// The fault of the one that takes longer.
Fault fault_between(const PointOfRun& a, const PointOfRun& b, int sign, Rounds rounds) {
  const auto of_a = substitutions_of(a.point, a.trials), of_b = substitutions_of(b.point, b.trials);
  if (!of_a || !of_b) return {};
  return sign > 0 ? name_fault(*of_a, *of_b, rounds) : name_fault(*of_b, *of_a, rounds);
}

bool name_by_substitution(const Fault& fault, int sign, MovedStage& out) {
  if (fault.named.empty()) return false;
  const Growth* growth = find_element(fault.growths, fault.named.front(), &Growth::component);
  if (!growth) return false;
  out.by = MovedStage::By::substitution;
  out.name = name_of(fault.named.front());
  if (fault.named.size() > 1) out.tied_with = name_of(fault.named[1]);
  out.ms = sign > 0 ? growth->ms : negated(growth->ms);
  return true;
}

void name_by(const std::vector<StageGrowth>& growths, MovedStage::By by, int sign, double least_ms,
             MovedStage& out) {
  const StageGrowth* g = largest_growth(growths, sign, least_ms);
  if (!g) return;
  out.by = by;
  out.name = g->name;
  out.ms = g->ms;
}

}  // namespace

std::optional<MovedStage> moved_stage(const PointOfRun& a, const PointOfRun& b,
                                      const PointComparison& found, Rounds rounds) {
  const auto moved = moved_mode(found);
  if (!moved) return std::nullopt;
  const auto [records_a, records_b] = records_of(a, b, *moved, rounds);
  const ByRound steps_a = step_ms_by_round(records_a);
  MovedStage out;
  out.step_ms = growth_of(steps_a, step_ms_by_round(records_b), rounds);
  const double least = kWorth * mean_of(values_in(steps_a));
  if (moved->mode == Mode::pipeline &&
      name_by_substitution(fault_between(a, b, moved->sign, rounds), moved->sign, out))
    return out;
  const auto loader = [&] {
    name_by(
        stage_growths(loader_stages_by_round(records_a), loader_stages_by_round(records_b), rounds),
        MovedStage::By::loader, moved->sign, least, out);
  };
  if (moved->mode == Mode::loader) {
    loader();
    return out;
  }
  const bool whole = are_gets_whole(records_a) || are_gets_whole(records_b);
  name_by(stage_growths(step_parts_by_round(records_a, whole),
                        step_parts_by_round(records_b, whole), rounds),
          MovedStage::By::step, moved->sign, least, out);
  if (out.name != kWaited) return out;
  loader();
  out.waited_for = out.by == MovedStage::By::loader;
  return out;
}

}  // namespace benchbench
