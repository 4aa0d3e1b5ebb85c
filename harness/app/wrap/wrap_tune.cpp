#include "harness/app/wrap/wrap_tune.h"

#include <algorithm>
#include <numeric>

#include "harness/app/tune/tune_knobs.h"
#include "harness/app/wrap/wrap_record.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

constexpr const char* kKnobs[] = {"num_workers", "prefetch_factor", "pin_memory"};
constexpr std::uint32_t kRoundsOfRun = 3;
// Stretches of a script that runs among other programs: five pairs have shown gains that were none.
constexpr std::uint32_t kPairsForFewerWorkers = 10;

std::string text_of(const WrapLoader& loader, const char* name) {
  const auto own = loader.own.find(name);
  if (own == loader.own.end()) return "";
  if (const bool* yes = std::get_if<bool>(&own->second)) return *yes ? "true" : "false";
  if (const auto* n = std::get_if<std::int64_t>(&own->second)) return std::to_string(*n);
  return "";  // prefetch_factor where there are no workers
}

ExternalValue value_of(const Knob& knob, const KnobValue& value) {
  if (knob.kind == KnobKind::flag) return value.text == "true";
  return static_cast<std::int64_t>(value.number);
}

Space space_of(const WrapPlanned& planned, double most_workers) {
  std::vector<Knob> knobs;
  for (const char* name : kKnobs)
    if (!planned.fixed.contains(name))
      knobs.push_back(standard_knob(name, text_of(planned.loader, name), most_workers));
  return Space(std::move(knobs));
}

PointId point_of(const Space& space, const WrapLoader& loader) {
  std::vector<std::uint32_t> indexes;
  for (const Knob& knob : space.knobs())
    indexes.push_back(knob.index_of(text_of(loader, knob.name.c_str())));
  return space.point_of(indexes);
}

double mean_ms(const std::vector<std::int64_t>& times) {
  if (times.empty()) return 0;
  return 1e-6 * static_cast<double>(std::accumulate(times.begin(), times.end(), std::int64_t{0})) /
         static_cast<double>(times.size());
}

std::optional<double> waited_in(const WrapStretch& stretch) {
  const double wait = mean_ms(stretch.result.get_ns), step = mean_ms(stretch.result.step_ns);
  return wait + step > 0 ? std::optional(wait / (wait + step)) : std::nullopt;
}

}  // namespace

void WrapTune::planned(const WrapPlanned& planned) {
  planned_ = planned;
  present_ = {}, full_run_ = spent_ = 0;
  trainer_.clear(), records_.clear(), todo_.clear(), refusals_.clear();
  last_end_.reset(), problem_.reset(), pending_.reset();
}

void WrapTune::add_first(const WrapStretch& stretch, double seconds) {
  spent_ += seconds;
  const double rate = rate_of(stretch.result);
  if (stretch.kind == WrapKind::trainer) trainer_.push_back(rate), present_.trainer = rate;
  if (stretch.kind == WrapKind::loader) present_.loader = rate;
  if (stretch.kind != WrapKind::full) return;
  present_.pipeline = rate;
  present_.wait_ms = mean_ms(stretch.result.get_ns);
  present_.step_ms = present_.wait_ms + mean_ms(stretch.result.step_ns);
  full_run_ = std::max(full_run_, kRoundsOfRun * seconds);
}

bool WrapTune::is_of_pending(const WrapStretch& stretch) const {
  if (!pending_) return false;
  const TriedRound asked = round_of(*pending_);
  return stretch.kind == (asked.own ? WrapKind::full : WrapKind::changed_full) &&
         stretch.settings == asked.settings;
}

void WrapTune::finished(const WrapStretch& stretch) {
  if (stretch.result.segments.empty()) return;
  const std::int64_t end = stretch.result.segments.back().second,
                     begin = stretch.result.segments.front().first - stretch.result.warmup_ns;
  const double seconds = 1e-9 * static_cast<double>(end - last_end_.value_or(begin));
  last_end_ = end;
  if (!problem_)
    add_first(stretch, seconds);
  else if (is_of_pending(stretch))
    add(TuneOutcome::measured, rate_of(stretch.result), seconds, waited_in(stretch));
}

void WrapTune::add(TuneOutcome outcome, double rate, double seconds, std::optional<double> waited) {
  Observation o;
  o.point = *pending_;
  o.round = proposal_.round;
  o.purpose = proposal_.purpose;
  o.outcome = outcome;
  o.rate = rate;
  o.cost_runs = seconds / full_run_;
  o.waited = waited;
  records_.push_back(o);
  pending_.reset();
}

void WrapTune::begin() {
  TuneProblem problem{.space = space_of(planned_, most_workers_),
                      .limits = {},
                      .references = {},
                      .trainer_rate = {}};
  problem.present = point_of(problem.space, planned_.loader);
  if (const Space& space = problem.space; space.has_workers())
    problem.references = {space.with(problem.present, space.workers_knob(), 0)};
  if (!trainer_.empty())
    problem.trainer_rate = std::accumulate(trainer_.begin(), trainer_.end(), 0.0) /
                           static_cast<double>(trainer_.size());
  full_run_ = std::max(full_run_, 1e-3);
  problem.budget_runs =
      std::max(0.0, 1e-9 * static_cast<double>(budget_.count()) - spent_) / full_run_;
  problem.rounds_per_run = kRoundsOfRun;
  problem.limits.target_rate = target_rate_;
  problem.pairs_for_fewer_workers = kPairsForFewerWorkers;
  problem_ = std::move(problem);
}

TriedRound WrapTune::round_of(PointId point) const {
  const Space& space = problem_->space;
  if (space.canonical(point) == problem_->present) return {true, {}};
  TriedRound next;
  for (const std::size_t k : space.knob_indexes())
    if (space.has_effect(point, k))
      next.settings[space.knobs()[k].name] = value_of(space.knobs()[k], space.value(point, k));
  return next;
}

std::optional<TriedRound> WrapTune::next(const std::vector<std::string>& refused) {
  if (!problem_) begin();
  if (pending_ && !refused.empty()) {
    add(TuneOutcome::failed, 0, 0);
    for (const std::string& why : refused)
      if (!contains(refusals_, why)) refusals_.push_back(why);
  }
  if (!pending_ && todo_.empty()) {
    proposal_ = propose(*problem_, records_);
    todo_.assign(proposal_.trials.begin(), proposal_.trials.end());
  }
  if (!pending_ && todo_.empty()) return std::nullopt;
  if (!pending_) {
    pending_ = todo_.front();
    todo_.pop_front();
  }
  return round_of(*pending_);
}

TuneReport WrapTune::report(const std::string& script) const {
  TuneReport report{script,  "python", *problem_, records_, result_of(*problem_, records_),
                    present_};
  report.full_run_seconds = full_run_;
  report.memory = MemoryMeasure::processes;
  report.streams = planned_.loader.streams;
  for (const auto& [name, why] : planned_.fixed) report.not_tried.push_back({name, why});
  if (!planned_.fixed.contains("in_order"))
    report.not_tried.push_back({"in_order", "it changes the order of the batches"});
  for (const std::string& why : refusals_)
    report.problems.push_back({.text = "settings that were refused: " + why});
  return report;
}

}  // namespace benchbench
