#include "harness/app/tune/tune_records.h"

#include <algorithm>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/summary/problems.h"
#include "harness/analysis/summary/warnings.h"
namespace benchbench {
namespace {

// Seconds of a round's child, and of what a trial makes before its start-up is timed.
constexpr double kProcessSeconds = 0.3;
constexpr std::uint32_t kTrainerRuns = 3;

const TrialRecord* record_of(const std::vector<TrialRecord>& records, std::uint32_t trial,
                             std::uint32_t round) {
  const TrialRecord* last = nullptr;
  for (const TrialRecord& r : records)
    if (r.planned.trial == trial && r.planned.round == round && r.status != Status::aborted)
      last = &r;
  return last;
}

bool is_disturbed(const TrialRecord& r) {
  return std::ranges::any_of(r.reasons, [](const Reason& reason) { return reason.rule == "R09"; });
}

// Trials that other programs held back say nothing of what the trainer can take.
double mean_trainer_rate(const std::vector<TrialRecord>& records) {
  double sum = 0, n = 0;
  for (const TrialRecord& r : records)
    if (r.trial.mode == Mode::trainer && is_usable_rate(r) && !is_disturbed(r))
      sum += rate_of(r), ++n;
  return n > 0 ? sum / n : 0;
}

bool changes_the_step(const Space& space) {
  return std::ranges::any_of(space.knobs(), [](const Knob& k) {
    return k.kind == KnobKind::batch_size && k.values.size() > 1;
  });
}

double spent_first(const TuneStudy& study, const std::vector<TrialRecord>& records) {
  double sum = 0;
  for (const TrialRecord& r : records)
    if (r.planned.round < kFirstRounds) sum += cost_seconds(study, r);
  return sum;
}

}  // namespace

std::optional<std::uint32_t> trial_of(const TuneStudy& study, std::uint32_t point, Mode mode) {
  for (const auto& [m, trial] : study.plan.points.at(point).trials)
    if (m == mode) return trial;
  return std::nullopt;
}

double cost_seconds(const TuneStudy& study, const TrialRecord& r) noexcept {
  return study.simulated || !r.took_ns ? planned_seconds(study, r)
                                       : 1e-9 * static_cast<double>(*r.took_ns);
}

double planned_seconds(const TuneStudy& study, const TrialRecord& r) noexcept {
  const StartFacts& s = r.facts.start;
  const double trial =
      1e-9 * static_cast<double>(s.startup_ns + s.first_batch_ns + s.warmup_ns + r.facts.window.ns);
  return trial + (study.simulated ? 0 : kProcessSeconds);
}

std::vector<PlannedRun> first_runs(const TuneStudy& study) {
  std::vector<PlannedRun> out;
  if (const auto searched = trial_of(study, 0, study.mode)) out.push_back({*searched, 0, 0});
  if (study.mode == Mode::loader) return out;
  if (const auto loader = trial_of(study, 0, Mode::loader)) out.push_back({*loader, 0, 0});
  if (const auto trainer = trial_of(study, 0, Mode::trainer))
    for (std::uint32_t i = 0; i < kTrainerRuns; ++i) out.push_back({*trainer, 0, i});
  return out;
}

double full_run_seconds(const TuneStudy& study, const std::vector<TrialRecord>& records) {
  const auto trial = trial_of(study, 0, study.mode);
  const TrialRecord* present = trial ? record_of(records, *trial, 0) : nullptr;
  if (!present || present->facts.window.ns <= 0) return study.guessed_full_run;
  return study.plan.rounds * planned_seconds(study, *present);
}

TuneProblem problem_of(const TuneStudy& study, const std::vector<TrialRecord>& records) {
  TuneProblem problem{
      .space = study.grid.space, .limits = {}, .references = {}, .trainer_rate = {}};
  problem.limits = {study.asked.memory_bytes, study.asked.target_rate, {}};
  if (!study.simulated) problem.limits.cores = study.cores;
  problem.present = study.grid.present;
  problem.references = study.grid.references;
  if (const double rate = mean_trainer_rate(records); rate > 0 && !changes_the_step(problem.space))
    problem.trainer_rate = rate;
  const double full_run = full_run_seconds(study, records);
  problem.budget_runs =
      std::max(0.0, study.asked.budget_seconds - spent_first(study, records)) / full_run;
  problem.rounds_per_run = study.plan.rounds;
  return problem;
}

std::optional<double> mean_rate(std::span<const TrialRecord> records, std::uint32_t trial,
                                std::optional<std::uint32_t> round) {
  double sum = 0, n = 0;
  for (const TrialRecord& r : records)
    if (r.planned.trial == trial && (!round || r.planned.round == round) && is_usable_rate(r))
      sum += rate_of(r), ++n;
  return n > 0 ? std::optional(sum / n) : std::nullopt;
}

std::vector<Note> note_problems(const Plan& plan, const std::vector<TrialRecord>& records) {
  const JudgedTrials judged(plan, records);
  Findings findings;
  findings.problems = problems_of(judged);
  findings.trials_recorded = records.size();
  std::vector<Note> notes = problem_lines(findings, plan);
  if (const auto others = other_programs_seen(judged))
    notes.insert(notes.begin(), Note{false, other_programs_text(*others)});
  return notes;
}

}  // namespace benchbench
