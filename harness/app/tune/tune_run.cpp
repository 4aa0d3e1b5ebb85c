#include "harness/app/tune/tune_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/app/interrupt.h"
#include "harness/app/tell.h"
#include "harness/app/tune/tune_replay.h"
#include "harness/core/units.h"
#include "harness/record/resolved_settings.h"

namespace benchbench {
namespace {

BatchesSeen seen_of(const Trial& trial, const TrialProgress& p) {
  const ResolvedSettings s = resolve(trial.settings);
  const double samples = p.samples_per_second * p.share * to_seconds(s.measure.window);
  return {samples / std::max(1.0, static_cast<double>(s.loader.batch_size)),
          static_cast<double>(s.loader.num_workers)};
}

// "  round 2: pipeline num_workers=4: 1,234 samples/s"
void tell_record(const TrialRecord& r, const std::vector<std::string>& names) {
  const std::string& name = names.at(r.trial.points.empty() ? 0 : r.trial.points.front());
  const bool usable = r.status == Status::valid || r.status == Status::noisy;
  std::string what =
      usable ? human_count(rate_of(r)) + " samples/s" : std::string(name_of(r.status));
  if (was_cut_short(r))
    what = r.reasons.front().text;
  else if (!usable && !r.reasons.empty())
    what += ": " + r.reasons.front().text;
  tell("  round {}: {} {}: {}\n", r.planned.round + 1, name_of(r.trial.mode), name, what);
}

// Before the engine knows a rate, by that of the present settings in the first round. What is
// measured again is measured whole; so is all where memory is limited: only a whole trial says what
// it needs.
std::optional<double> hopeless_below(const TuneStudy& study, const Proposal& next,
                                     const std::vector<TrialRecord>& records) {
  // In virtual time a trial costs nothing.
  if (study.simulated || study.asked.memory_bytes || next.purpose == Purpose::recheck)
    return std::nullopt;
  if (next.hopeless_below) return next.hopeless_below;
  const auto present = trial_of(study, 0, study.mode);
  for (const TrialRecord& r : records)
    if (r.planned.round < kFirstRounds && r.planned.trial == present && is_usable_rate(r))
      return kHopeless * rate_of(r);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_hopeless(const TrialProgress& p, std::optional<double> below,
                                        const BatchesSeen& seen) {
  constexpr double kThird = 1.0 / 3, kFew = 10, kBursts = 8;
  if (seen.batches < std::max(kFew, kBursts * seen.workers)) return std::nullopt;
  if (!below || p.phase != Phase::measuring || p.share < kThird || p.samples_per_second >= *below)
    return std::nullopt;
  return fmt::format("{}{} samples/s after {:.0f} % of its window, where less than {} is hopeless",
                     kCutShort, human_count(p.samples_per_second), 100 * p.share,
                     human_count(*below));
}

void run_tune(const TuneStudy& study, Session& session, bool quiet) {
  std::vector<std::string> names;
  const Plan named = drop_labels_without_effect(study.plan);
  for (const Point& point : named.points) names.push_back(point.name());
  std::optional<double> hopeless;  // a rate of the round; nullopt: every trial runs to its end
  const SessionWatch watch{
      .may_end = [&](const Trial& trial, const TrialProgress& p) -> std::optional<std::string> {
        if (trial.mode != study.mode) return std::nullopt;
        return why_hopeless(p, hopeless, seen_of(trial, p));
      },
      .finished =
          [&](const TrialRecord& record, double) {
            if (!quiet) tell_record(record, names);
          }};
  const std::vector<TrialRecord>& records = session.records();
  std::vector<PlannedRun> todo = still_to_do(study.plan, first_runs(study), records);
  if (study.grid.space.points().size() < 2) todo.clear();
  if (!todo.empty()) session.run(study.plan, todo, {}, watch);
  TuneReplay replay(study, problem_of(study, records), records);
  while (!interrupted() && !(todo = replay.go_on()).empty()) {
    hopeless = hopeless_below(study, replay.next(), records);
    session.run(study.plan, todo, {}, watch);
  }
}

}  // namespace benchbench
