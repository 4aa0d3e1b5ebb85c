#include "harness/app/tune/tune_replay.h"

#include <algorithm>
#include <array>

#include "harness/app/tune/tune_memory.h"

namespace benchbench {
namespace {

// A stored run says by its repeat what it was for.
constexpr std::uint32_t repeat_of(Purpose purpose) noexcept { return purpose == Purpose::recheck ? 1 : 0; }

bool ran_out_of_memory(const TrialRecord& r) {
  constexpr std::array<std::string_view, 6> kSigns{"SIGKILL", "bad_alloc", "out of memory", "killed by signal: Killed", "MemoryError",
                                                   "Cannot allocate memory"};
  const auto says_so = [&](const Reason& reason) {
    return std::ranges::any_of(kSigns, [&](std::string_view sign) { return reason.text.find(sign) != std::string::npos; });
  };
  return r.status == Status::failed && std::ranges::any_of(r.reasons, says_so);
}

TuneOutcome outcome_of(const TrialRecord& r) {
  if (was_cut_short(r)) return TuneOutcome::stopped_early;
  if (is_usable_rate(r)) return TuneOutcome::measured;
  if (r.status == Status::invalid) return TuneOutcome::invalid;
  return ran_out_of_memory(r) ? TuneOutcome::out_of_memory : TuneOutcome::failed;
}

std::optional<double> cpu_per_sample(const TuneStudy& study, const TrialRecord& r) {
  if (study.simulated || !r.facts.cpu.user_s || !r.facts.cpu.system_s || r.facts.window.samples == 0) return std::nullopt;
  return (*r.facts.cpu.user_s + *r.facts.cpu.system_s) / static_cast<double>(r.facts.window.samples);
}

Observation observed(const TuneStudy& study, const TrialRecord& r, PointId point, std::uint32_t round, double full_run) {
  Observation o;
  o.point = point;
  o.round = round;
  o.purpose = r.planned.repeat == repeat_of(Purpose::recheck) ? Purpose::recheck : Purpose::search;
  o.outcome = outcome_of(r);
  o.rate = o.outcome == TuneOutcome::measured || o.outcome == TuneOutcome::stopped_early ? rate_of(r) : 0;
  o.cpu_seconds_per_sample = cpu_per_sample(study, r);
  if (!study.simulated) o.memory_bytes = memory_needed(r.facts, study.asked.job_seconds);
  o.cost_runs = cost_seconds(study, r) / full_run;
  return o;
}

// Of one stored round, in the order in which they ran; what was interrupted does not count.
std::vector<const TrialRecord*> round_of(const std::vector<TrialRecord>& records, std::uint32_t round) {
  std::vector<const TrialRecord*> out;
  for (const TrialRecord& r : records)
    if (r.planned.round == round && r.status != Status::aborted) out.push_back(&r);
  std::ranges::stable_sort(out, {}, &TrialRecord::sequence);
  return out;
}

std::vector<PlannedRun> runs_of(const TuneStudy& study, const Proposal& proposal) {
  std::vector<PlannedRun> out;
  for (const PointId p : proposal.trials)
    out.push_back({trial_of(study, study.grid.points.at(p), study.mode).value(), proposal.round + kFirstRounds, repeat_of(proposal.purpose)});
  return out;
}

bool is_run(const TrialRecord* r, const PlannedRun& run) {
  return r->planned.trial == run.trial && r->planned.round == run.round && r->planned.repeat == run.repeat;
}

// What of the proposal has no record; nothing where the stored round is another one.
std::vector<PlannedRun> left_of(const std::vector<PlannedRun>& wanted, const std::vector<const TrialRecord*>& stored) {
  const auto is_wanted = [&](const TrialRecord* r) { return std::ranges::any_of(wanted, [&](const PlannedRun& run) { return is_run(r, run); }); };
  if (!std::ranges::all_of(stored, is_wanted)) return {};
  std::vector<PlannedRun> left;
  for (const PlannedRun& run : wanted)
    if (std::ranges::none_of(stored, [&](const TrialRecord* r) { return is_run(r, run); })) left.push_back(run);
  return left;
}

PointId point_of(const TuneStudy& study, const TrialRecord& r) {
  const std::vector<std::uint32_t>& points = study.grid.points;
  for (PointId p = 0; p < points.size(); ++p)
    if (study.grid.space.canonical(p) == p && points[p] != kNoAnchor && trial_of(study, points[p], study.mode) == r.planned.trial) return p;
  return study.grid.present;
}

}  // namespace

bool was_cut_short(const TrialRecord& r) noexcept {
  return r.status == Status::invalid && !r.reasons.empty() && r.reasons.front().rule.empty() && r.reasons.front().text.starts_with(kCutShort);
}

ReplayedTune replay(const TuneStudy& study, const TuneProblem& problem, const std::vector<TrialRecord>& records) {
  ReplayedTune out;
  const double full_run = full_run_seconds(study, records);
  for (std::uint32_t round = 0;; ++round) {
    out.next = propose(problem, out.observations);
    const std::vector<const TrialRecord*> stored = round_of(records, round + kFirstRounds);
    if (out.next.stop == Stop::no) out.todo = left_of(runs_of(study, out.next), stored);
    if (!out.todo.empty() || stored.empty()) return out;
    for (const TrialRecord* r : stored) out.observations.push_back(observed(study, *r, point_of(study, *r), round, full_run));
  }
}

}  // namespace benchbench
