#include "harness/app/tune/tune_told.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/app/exit_code.h"
#include "harness/app/interrupt.h"
#include "harness/app/output_file.h"
#include "harness/app/session/opened_run.h"
#include "harness/app/tell.h"
#include "harness/app/tune/tune_asked_file.h"
#include "harness/app/tune/tune_replay.h"
#include "harness/core/error.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"
#include "harness/report/fields/json_maker.h"
#include "harness/report/tune/tune_report.h"

namespace benchbench {
namespace {

MemoryMeasure memory_measure(const std::vector<TrialRecord>& records) {
  const auto external = [](const TrialRecord& r) {
    return r.facts.external && r.facts.external->way != ExternalWay::none;
  };
  return std::ranges::any_of(records, external) ? MemoryMeasure::processes
                                                : MemoryMeasure::resident;
}

// measure.observer: 0. Nothing is known of what happens within the user's process: neither waits
// nor what starting workers costs.
bool is_unobserved(const TrialRecord& r) {
  const Value* const observer = r.trial.settings.find(keys::measure.observer);
  return r.facts.external && r.facts.external->way != ExternalWay::none && observer &&
         observer->text() == "0";
}

// What starting the workers of the found point costs an epoch, where they are started for each.
std::optional<EpochStart> epoch_start(const TuneStudy& study,
                                      const std::vector<TrialRecord>& records, PointId found) {
  const auto trial = trial_of(study, study.grid.points.at(found), study.mode);
  for (const TrialRecord& r : records) {
    if (r.planned.trial != trial || !is_usable_rate(r) || !r.facts.external || is_unobserved(r))
      continue;
    const ExternalFacts& e = *r.facts.external;
    const auto start = e.epoch_start_ns ? e.epoch_start_ns : e.workers_start_ns;
    const Value* stay = r.trial.settings.find("loader.persistent_workers");
    if (r.facts.workers.count == 0 || (stay && stay->text() == "true") || e.kind == "iterable" ||
        !e.epoch_samples || !start)
      continue;
    return EpochStart{1e-6 * static_cast<double>(*start),
                      static_cast<double>(*e.epoch_samples) / rate_of(r)};
  }
  return std::nullopt;
}

bool streams(const std::vector<TrialRecord>& records) {
  return std::ranges::any_of(records, [](const TrialRecord& r) {
    return r.facts.external && r.facts.external->streams == true;
  });
}

// The present settings' F: of all trials but the first, which is the first pass over the data,
// where there are others.
void add_pipeline(const std::vector<const TrialRecord*>& trials, PresentStep& step) {
  double get_ns = 0, ns = 0, samples = 0, steps = 0;
  for (const TrialRecord* r : trials) {
    const auto& window = r->facts.window;
    samples += static_cast<double>(window.samples), ns += static_cast<double>(window.ns);
    if (is_unobserved(*r) && window.loop.get_ns == 0) continue;
    steps += static_cast<double>(window.steps);
    get_ns += static_cast<double>(window.loop.get_ns);
  }
  if (ns > 0) step.pipeline = samples_per_second(samples, ns);
  if (steps > 0) step.wait_ms = 1e-6 * get_ns / steps, step.step_ms = 1e-6 * ns / steps;
}

std::optional<PresentStep> present_step(const TuneStudy& study,
                                        const std::vector<TrialRecord>& records) {
  const auto rate = [&](Mode mode) {
    const auto trial = trial_of(study, 0, mode);
    return trial ? mean_rate(records, *trial, 0) : std::nullopt;
  };
  PresentStep step;
  step.loader = rate(Mode::loader), step.trainer = rate(Mode::trainer);
  std::vector<const TrialRecord*> first, later;
  if (study.mode == Mode::pipeline)
    for (const TrialRecord& r : records)
      if (r.planned.trial == trial_of(study, 0, Mode::pipeline) && is_usable_rate(r))
        (r.planned.round < kFirstRounds ? first : later).push_back(&r);
  add_pipeline(later.empty() ? first : later, step);
  return step.pipeline || step.loader || step.trainer ? std::optional(step) : std::nullopt;
}

// True if the first round has a rate of what is searched.
bool is_first_round_there(const TuneStudy& study, const std::vector<TrialRecord>& records) {
  const auto searched = trial_of(study, 0, study.mode);
  return std::ranges::any_of(records, [&](const TrialRecord& r) {
    return r.planned.round < kFirstRounds && r.planned.trial == searched && is_usable_rate(r);
  });
}

int report(const Arguments& arguments, const TuneReport& r, const std::string& folder) {
  int code = strongest({interrupt_exit_code(), exit_code_of(r, arguments.flag("--strict"))});
  try {
    write_report(
        arguments, [&] { return tune_text(r); }, [&] { return json_text(tune_json(r)) + "\n"; });
  } catch (const StoreError& e) {
    tell_error(e);
    code = strongest({code, kNotWritten});
  }
  tell("results: {}\n", folder);
  return code;
}

}  // namespace

int tell_tune(const Arguments& arguments, const ToldTune& told, const std::string& folder) {
  const TuneStudy& study = told.study;
  TuneReplay replay(study, problem_of(study, told.records), told.records);
  replay.go_on();
  const std::vector<Observation> observations = replay.observations();
  const SettingsMap& base = study.plan.scenario.base;
  TuneReport r{study.plan.scenario.name,
               base.get(keys::loader.use),
               replay.problem(),
               observations,
               result_of(replay.problem(), observations),
               present_step(study, told.records),
               study.mode == Mode::loader,
               told.interrupted,
               study.simulated,
               full_run_seconds(study, told.records)};
  std::vector<TrialRecord> whole = told.records;
  std::erase_if(whole, was_cut_short);
  r.problems = note_problems(drop_labels_without_effect(study.plan), whole);
  r.first_round = is_first_round_there(study, told.records);
  r.memory = memory_measure(told.records);
  r.not_tried = told.not_tried;
  if (r.result.advice != TuneAdvice::nothing_measured)
    r.epoch_start = epoch_start(study, told.records, r.result.chosen);
  r.streams = streams(told.records);
  r.job_seconds = study.asked.job_seconds, r.price = study.asked.price;
  return report(arguments, r, folder);
}

int tell_stored_tune(const Arguments& arguments, const std::string& folder,
                     const Journal& journal) {
  const TuneKept kept = kept_in(folder);
  const Arguments options = with_stored_options(folder, Arguments{});
  const TuneAsked asked = tune_asked(options);
  const TuneGrid grid = grid_of(journal.plan);
  const double cores = journal.records.empty()
                           ? 1
                           : cores_at(journal.plan.scenario.base,
                                      journal.records.front().environment.cores_available);
  const TuneStudy study{journal.plan,
                        grid,
                        asked,
                        has_step(journal.plan.scenario) ? Mode::pipeline : Mode::loader,
                        options.text("--clock", "real") == "simulated",
                        cores,
                        kept.guessed_full_run};
  return tell_tune(arguments, {study, latest_of_each(journal.records), kept.not_tried, false},
                   folder);
}

int exit_code_of(const TuneFindings& f, bool strict) {
  std::vector<int> codes;
  if (is_unfinished(f)) codes.push_back(kBudgetEnded);
  if (is_unusable(f)) codes.push_back(kNothingValid);
  if (is_too_noisy(f)) codes.push_back(kInconclusive);
  if (strict && misses_goal(f)) codes.push_back(kDoubts);
  return strongest(codes);
}

bool has_step(const Scenario& scenario) {
  return scenario.base.get(keys::trainer.use) != "discard";
}

}  // namespace benchbench
