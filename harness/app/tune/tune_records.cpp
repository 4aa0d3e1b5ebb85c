#include "harness/app/tune/tune_records.h"

#include <algorithm>

namespace benchbench {
namespace {

constexpr double kProcessSeconds = 0.3;  // of a round's child, and of what a trial makes before its start-up is timed
constexpr std::uint32_t kTrainerRuns = 3;

bool has_rate(const TrialRecord& r) noexcept { return (r.status == Status::valid || r.status == Status::noisy) && rate_of(r) > 0; }

const TrialRecord* record_of(const std::vector<TrialRecord>& records, std::uint32_t trial, std::uint32_t round) {
  const TrialRecord* last = nullptr;
  for (const TrialRecord& r : records)
    if (r.planned.trial == trial && r.planned.round == round && r.status != Status::aborted) last = &r;
  return last;
}

bool ran_out_of_memory(const TrialRecord& r) {
  return r.status == Status::failed && std::ranges::any_of(r.reasons, [](const Reason& reason) {
    return reason.text.find("SIGKILL") != std::string::npos || reason.text.find("bad_alloc") != std::string::npos ||
           reason.text.find("out of memory") != std::string::npos;
  });
}

std::optional<double> cpu_per_sample(const TuneStudy& study, const TrialRecord& r) {
  if (study.simulated || !r.facts.cpu.user_s || !r.facts.cpu.system_s || r.facts.window.samples == 0) return std::nullopt;
  return (*r.facts.cpu.user_s + *r.facts.cpu.system_s) / static_cast<double>(r.facts.window.samples);
}

Observation observed(const TuneStudy& study, const TrialRecord& r, PointId point, const Proposal& proposal, double full_run) {
  Observation o;
  o.point = point;
  o.round = proposal.round;
  o.purpose = proposal.purpose;
  o.outcome = has_rate(r) ? TuneOutcome::measured : ran_out_of_memory(r) ? TuneOutcome::out_of_memory : TuneOutcome::failed;
  o.rate = has_rate(r) ? rate_of(r) : 0;
  o.cpu_seconds_per_sample = cpu_per_sample(study, r);
  if (!study.simulated && r.facts.peak_memory_bytes) o.memory_bytes = static_cast<double>(*r.facts.peak_memory_bytes);
  o.cost_runs = (seconds_of(r) + (study.simulated ? 0 : kProcessSeconds)) / full_run;
  return o;
}

double mean_trainer_rate(const std::vector<TrialRecord>& records) {
  double sum = 0, n = 0;
  for (const TrialRecord& r : records)
    if (r.trial.mode == Mode::trainer && has_rate(r)) sum += rate_of(r), ++n;
  return n > 0 ? sum / n : 0;
}

double spent_first(const TuneStudy& study, const std::vector<TrialRecord>& records) {
  double sum = 0;
  for (const TrialRecord& r : records)
    if (r.planned.round < kFirstRounds) sum += seconds_of(r) + (study.simulated ? 0 : kProcessSeconds);
  return sum;
}

}  // namespace

std::optional<std::uint32_t> trial_of(const TuneStudy& study, std::uint32_t point, Mode mode) {
  for (const auto& [m, trial] : study.plan.points.at(point).trials)
    if (m == mode) return trial;
  return std::nullopt;
}

double rate_of(const TrialRecord& r) noexcept {
  return r.facts.window.ns > 0 ? 1e9 * static_cast<double>(r.facts.window.samples) / static_cast<double>(r.facts.window.ns) : 0;
}

double seconds_of(const TrialRecord& r) noexcept {
  const StartFacts& s = r.facts.start;
  return 1e-9 * static_cast<double>(s.startup_ns + s.first_batch_ns + s.warmup_ns + r.facts.window.ns);
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
  if (!present || !has_rate(*present)) return study.guessed_full_run;
  return study.plan.rounds * (seconds_of(*present) + (study.simulated ? 0 : kProcessSeconds));
}

TuneProblem problem_of(const TuneStudy& study, const std::vector<TrialRecord>& records) {
  TuneProblem problem{.space = study.grid.space, .limits = {}, .references = {}, .trainer_rate = {}};
  problem.limits = {study.asked.memory_bytes, study.asked.target_rate, {}};
  if (!study.simulated) problem.limits.cores = study.cores;
  problem.present = study.grid.present;
  problem.references = study.grid.references;
  if (const double rate = mean_trainer_rate(records); rate > 0) problem.trainer_rate = rate;
  const double full_run = full_run_seconds(study, records);
  problem.budget_runs = std::max(0.0, study.asked.budget_seconds - spent_first(study, records)) / full_run;
  problem.rounds_per_run = study.plan.rounds;
  return problem;
}

ReplayedTune replay(const TuneStudy& study, const TuneProblem& problem, const std::vector<TrialRecord>& records) {
  ReplayedTune out;
  const double full_run = full_run_seconds(study, records);
  for (;;) {
    out.next = propose(problem, out.observations);
    if (out.next.stop != Stop::no) return out;
    std::vector<Observation> round;
    for (const PointId p : out.next.trials) {
      const std::uint32_t trial = trial_of(study, study.grid.points.at(p), study.mode).value();
      const PlannedRun run{trial, out.next.round + kFirstRounds, 0};
      if (const TrialRecord* r = record_of(records, trial, run.round))
        round.push_back(observed(study, *r, p, out.next, full_run));
      else
        out.todo.push_back(run);
    }
    if (!out.todo.empty()) return out;
    out.observations.insert(out.observations.end(), round.begin(), round.end());
  }
}

}  // namespace benchbench
