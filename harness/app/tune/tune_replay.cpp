#include "harness/app/tune/tune_replay.h"

#include <algorithm>
#include <array>

#include "harness/analysis/rates/phase.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/app/tune/tune_memory.h"

namespace benchbench {
namespace {

bool ran_out_of_memory(const TrialRecord& r) {
  return r.status == Status::failed && std::ranges::any_of(r.reasons, [](const Reason& reason) {
           return tells_of_no_memory(reason.text);
         });
}

TuneOutcome outcome_of(const TrialRecord& r) {
  if (was_cut_short(r)) return TuneOutcome::stopped_early;
  if (is_usable_rate(r)) return TuneOutcome::measured;
  if (r.status == Status::invalid) return TuneOutcome::invalid;
  return ran_out_of_memory(r) ? TuneOutcome::out_of_memory : TuneOutcome::failed;
}

std::optional<double> cpu_per_sample(const TuneStudy& study, const TrialRecord& r) {
  if (study.simulated || !r.facts.cpu.user_s || !r.facts.cpu.system_s ||
      r.facts.window.samples == 0)
    return std::nullopt;
  return (*r.facts.cpu.user_s + *r.facts.cpu.system_s) /
         static_cast<double>(r.facts.window.samples);
}

Observation observed(const TuneStudy& study, const TrialRecord& r, PointId point,
                     std::uint32_t round, double full_run) {
  Observation o;
  o.point = point;
  o.round = round;
  o.purpose = r.planned.repeat == repeat_of(Purpose::recheck) ? Purpose::recheck : Purpose::search;
  o.outcome = outcome_of(r);
  o.rate = o.outcome == TuneOutcome::measured || o.outcome == TuneOutcome::stopped_early
               ? rate_of(r)
               : 0;
  o.cpu_seconds_per_sample = cpu_per_sample(study, r);
  if (study.mode == Mode::pipeline) o.waited = stalled_share(r.facts);
  o.phase = phase_share(r.facts);
  if (!study.simulated) o.memory_bytes = memory_needed(r.facts, study.asked.job_seconds);
  o.cost_runs = cost_seconds(study, r) / full_run;
  return o;
}

// Of one stored round, in the order in which they ran; what was interrupted does not count.
std::vector<const TrialRecord*> round_of(const std::vector<TrialRecord>& records,
                                         std::uint32_t round) {
  std::vector<const TrialRecord*> out;
  for (const TrialRecord& r : records)
    if (r.planned.round == round && r.status != Status::aborted) out.push_back(&r);
  std::ranges::stable_sort(out, {}, &TrialRecord::sequence);
  return out;
}

std::vector<PlannedRun> runs_of(const TuneStudy& study, const Proposal& proposal) {
  std::vector<PlannedRun> out;
  for (const PointId p : proposal.trials)
    out.push_back({trial_of(study, study.grid.points.at(p), study.mode).value(),
                   proposal.round + kFirstRounds, repeat_of(proposal.purpose)});
  return out;
}

bool is_run(const TrialRecord* r, const PlannedRun& run) {
  return r->planned.trial == run.trial && r->planned.round == run.round &&
         r->planned.repeat == run.repeat;
}

bool holds(const std::vector<const TrialRecord*>& stored, const PlannedRun& run) {
  return std::ranges::any_of(stored, [&](const TrialRecord* r) { return is_run(r, run); });
}

bool has_round_after(const std::vector<TrialRecord>& records, std::uint32_t round) {
  return std::ranges::any_of(records, [&](const TrialRecord& r) {
    return r.planned.round > round && r.status != Status::aborted;
  });
}

PointId point_of(const TuneStudy& study, const TrialRecord& r) {
  const std::vector<std::uint32_t>& points = study.grid.points;
  for (PointId p = 0; p < points.size(); ++p)
    if (study.grid.space.canonical(p) == p && points[p] != kNoAnchor &&
        trial_of(study, points[p], study.mode) == r.planned.trial)
      return p;
  return study.grid.present;
}

}  // namespace

bool tells_of_no_memory(std::string_view reason) noexcept {
  constexpr std::array<std::string_view, 9> kSigns{"SIGKILL",
                                                   "bad_alloc",
                                                   "out of memory",
                                                   "killed by signal: Killed",
                                                   "MemoryError",
                                                   "Cannot allocate memory",
                                                   "Bus error",
                                                   "out of shared memory",
                                                   "insufficient shared memory"};
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return reason.find(sign) != std::string_view::npos; });
}

bool was_cut_short(const TrialRecord& r) noexcept {
  return r.status == Status::invalid && !r.reasons.empty() && r.reasons.front().rule.empty() &&
         r.reasons.front().text.starts_with(kCutShort);
}

TuneReplay::TuneReplay(const TuneStudy& study, TuneProblem problem,
                       const std::vector<TrialRecord>& records)
    : study_(study),
      problem_(std::move(problem)),
      records_(records),
      full_run_(full_run_seconds(study, records)),
      next_(propose(problem_, {})) {}

std::vector<PlannedRun> TuneReplay::go_on() {
  for (;;) {
    const std::vector<const TrialRecord*> stored = round_of(records_, round_ + kFirstRounds);
    if (stored.empty()) return runs_of(study_, next_);
    std::vector<PlannedRun> left = left_of(stored);
    if (!left.empty()) return left;
    for (const TrialRecord* r : stored)
      whole_.push_back(observed(study_, *r, point_of(study_, *r), round_, full_run_));
    ++round_;
    next_ = propose(problem_, whole_);
  }
}

// Of the last stored round, where it is of what is proposed now: an interrupted tune goes on as if
// it had not been.
std::vector<PlannedRun> TuneReplay::left_of(const std::vector<const TrialRecord*>& stored) const {
  const std::vector<PlannedRun> wanted = runs_of(study_, next_);
  const auto is_wanted = [&](const TrialRecord* r) {
    return std::ranges::any_of(wanted, [&](const PlannedRun& run) { return is_run(r, run); });
  };
  if (has_round_after(records_, round_ + kFirstRounds) || !std::ranges::all_of(stored, is_wanted))
    return {};
  std::vector<PlannedRun> left;
  for (const PlannedRun& run : wanted)
    if (!holds(stored, run)) left.push_back(run);
  return left;
}

std::vector<Observation> TuneReplay::observations() const {
  std::vector<Observation> all = whole_;
  for (const TrialRecord* r : round_of(records_, round_ + kFirstRounds))
    all.push_back(observed(study_, *r, point_of(study_, *r), round_, full_run_));
  return all;
}

}  // namespace benchbench
