#include "harness/app/wrap/script_search.h"

#include <algorithm>
#include <numeric>

#include "harness/analysis/rates/window_rates.h"
#include "harness/app/wrap/wrap_plan.h"
#include "harness/app/wrap/wrap_record.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

constexpr std::uint32_t kRoundsOfRun = 3;
// Stretches of a script that runs among other programs: five pairs have shown gains that were none.
constexpr std::uint32_t kPairsForFewerWorkers = 10;
constexpr double kLeastRun = 1e-3;  // seconds

double mean_ms(std::int64_t ns, std::uint64_t count) noexcept {
  return count > 0 ? 1e-6 * static_cast<double>(ns) / static_cast<double>(count) : 0;
}

double mean_ms(const std::vector<std::int64_t>& times) {
  return mean_ms(std::accumulate(times.begin(), times.end(), std::int64_t{0}), times.size());
}

double mean_ms(const WindowFacts& window, Stage stage) noexcept {
  const StageTotal& total = window.stages[static_cast<std::size_t>(stage)];
  return mean_ms(total.ns, total.count);
}

double mean_of_rates(const std::vector<double>& rates) {
  return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

}  // namespace

SearchedStretch read_stretch(const WrapStretch& stretch, std::int64_t took_ns) {
  const ExternalResult& result = stretch.result;
  return {mode_of(stretch.kind), rate_of(result), 1e-9 * static_cast<double>(took_ns),
          mean_ms(result.get_ns), mean_ms(result.step_ns)};
}

SearchedStretch read_stretch(const TrialRecord& record) {
  const WindowFacts& window = record.facts.window;
  return {record.trial.mode, rate_of(record.facts),
          1e-9 * static_cast<double>(record.took_ns.value_or(0)),
          mean_ms(window, Stage::get_blocked), mean_ms(window, Stage::forward)};
}

void ScriptSearch::add_first(const SearchedStretch& stretch) {
  spent_ += stretch.seconds;
  if (stretch.mode == Mode::trainer)
    trainer_.push_back(stretch.rate), present_.trainer = stretch.rate;
  if (stretch.mode == Mode::loader) present_.loader = stretch.rate;
  if (stretch.mode != Mode::pipeline) return;
  present_.pipeline = stretch.rate;
  present_.wait_ms = stretch.wait_ms;
  present_.step_ms = stretch.wait_ms + stretch.own_ms;
  full_run_ = std::max(full_run_, kRoundsOfRun * stretch.seconds);
}

void ScriptSearch::begin(Space space, PointId present) {
  TuneProblem problem{
      .space = std::move(space), .limits = {}, .references = {}, .trainer_rate = {}};
  problem.present = problem.space.canonical(present);
  if (const Space& s = problem.space; s.has_workers())
    problem.references = {s.with(problem.present, s.workers_knob(), 0)};
  if (!trainer_.empty()) problem.trainer_rate = mean_of_rates(trainer_);
  full_run_ = std::max(full_run_, kLeastRun);
  problem.budget_runs = std::max(0.0, asked_.budget_seconds - spent_) / full_run_;
  problem.rounds_per_run = kRoundsOfRun;
  problem.limits.target_rate = asked_.target_rate;
  problem.pairs_for_fewer_workers = kPairsForFewerWorkers;
  problem_ = std::move(problem);
}

Observation& ScriptSearch::add(const SearchTrial& trial, TuneOutcome outcome) {
  Observation& o = trials_.emplace_back();
  o.point = trial.point;
  o.round = trial.round;
  o.purpose = trial.purpose;
  o.outcome = outcome;
  return o;
}

void ScriptSearch::add(const SearchTrial& trial, const SearchedStretch& stretch) {
  Observation& o = add(trial, TuneOutcome::measured);
  o.rate = stretch.rate;
  o.cost_runs = stretch.seconds / full_run_;
  if (const double step = stretch.wait_ms + stretch.own_ms; step > 0)
    o.waited = stretch.wait_ms / step;
}

void ScriptSearch::add_refused(const SearchTrial& trial, const std::vector<std::string>& why) {
  add(trial, TuneOutcome::failed);
  for (const std::string& reason : why)
    if (!contains(refusals_, reason)) refusals_.push_back(reason);
}

TuneReport ScriptSearch::report(const std::string& script) const {
  TuneReport report{script, "python", *problem_, trials_, result_of(*problem_, trials_), present_};
  report.full_run_seconds = full_run_;
  report.memory = MemoryMeasure::processes;
  report.streams = asked_.streams;
  report.not_tried = asked_.not_tried;
  for (const std::string& why : refusals_)
    report.problems.push_back({.text = "settings that were refused: " + why});
  return report;
}

}  // namespace benchbench
