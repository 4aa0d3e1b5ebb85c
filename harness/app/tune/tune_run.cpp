#include "harness/app/tune/tune_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/analysis/rules.h"
#include "harness/app/interrupt.h"
#include "harness/app/tell.h"
#include "harness/app/tune/tune_replay.h"
#include "harness/core/child_process.h"
#include "harness/core/units.h"
#include "harness/process/supervisor.h"
#include "harness/record/resolved_settings.h"
#include "harness/report/tune/tune_report.h"

namespace benchbench {
namespace {

BatchesSeen seen_of(const Trial& trial, const TrialProgress& p) {
  const ResolvedSettings s = resolve(trial.settings);
  const double samples = p.samples_per_second * p.share * to_seconds(s.measure.window);
  return {samples / std::max(1.0, static_cast<double>(s.loader.batch_size)),
          static_cast<double>(s.loader.num_workers)};
}

// Stores each record, judged, before the next trial starts.
class TuneSink final : public TrialSink {
 public:
  TuneSink(RunFolder& folder, std::vector<TrialRecord>& records, bool quiet)
      : folder_(folder), records_(records), quiet_(quiet) {}
  void started(const Trial&, const PlannedRun&) override {}
  void progressed(const Trial&, const PlannedRun&, const TrialProgress&) override {
    folder_.sync_if_due();
  }
  std::optional<std::string> may_end(const Trial& trial, const PlannedRun&,
                                     const TrialProgress& p) override {
    return trial.mode == searched_ ? why_hopeless(p, hopeless_below_, seen_of(trial, p))
                                   : std::nullopt;
  }
  void finished(TrialRecord& record) override {
    const auto now = std::chrono::steady_clock::now();
    record.took_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_end_).count();
    last_end_ = now;
    if (!was_cut_short(record)) judge_it(record);
    folder_.append(record);
    record.raw_series.clear();
    if (!quiet_) tell_record(record);
    records_.push_back(record);
  }
  void set_names(std::vector<std::string> names) { names_ = std::move(names); }
  // Of the round that follows, which begins now; nullopt: every trial runs to its end.
  void begin_round(std::optional<double> below, Mode searched) {
    hopeless_below_ = below, searched_ = searched;
    last_end_ = std::chrono::steady_clock::now();
  }

 private:
  static void judge_it(TrialRecord& record) {
    Judgement judgement = judge(record);
    record.status = judgement.status;
    record.reasons = std::move(judgement.reasons);
  }
  void tell_record(const TrialRecord& r) const {
    const std::string& name = names_.at(r.trial.points.empty() ? 0 : r.trial.points.front());
    std::string what = r.status == Status::valid || r.status == Status::noisy
                           ? human_count(rate_of(r)) + " samples/s"
                           : std::string(name_of(r.status));
    if (was_cut_short(r))
      return tell(fmt::format("  round {}: {} {}: {}\n", r.planned.round + 1, name_of(r.trial.mode),
                              name, r.reasons.front().text));
    const bool usable = r.status == Status::valid || r.status == Status::noisy;
    if (!usable && !r.reasons.empty()) what += ": " + r.reasons.front().text;
    tell(fmt::format("  round {}: {} {}: {}\n", r.planned.round + 1, name_of(r.trial.mode), name,
                     what));
  }

  RunFolder& folder_;
  std::vector<TrialRecord>& records_;
  std::vector<std::string> names_;
  std::optional<double> hopeless_below_;
  Mode searched_ = Mode::pipeline;
  // The end of a trial, or the begin of its round.
  std::chrono::steady_clock::time_point last_end_ = std::chrono::steady_clock::now();
  bool quiet_;
};

SupervisorOptions options_for(const PreparedPlan& p) {
  SupervisorOptions o;
  o.program = kOwnProgram;
  o.child_arguments = {"child", "--cache", p.cache_folder};
  if (p.simulated) o.child_arguments.emplace_back("--simulated");
  o.environment = p.environment;
  o.stop = &interrupted();
  return o;
}

std::vector<PlannedRun> first_left(const TuneStudy& study,
                                   const std::vector<TrialRecord>& records) {
  std::vector<PlannedRun> left;
  for (const PlannedRun& run : first_runs(study)) {
    const auto is_it = [&](const TrialRecord& r) {
      return r.planned.trial == run.trial && r.planned.round == run.round &&
             r.planned.repeat == run.repeat && r.status != Status::aborted;
    };
    if (std::ranges::none_of(records, is_it)) left.push_back(run);
  }
  return left;
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

void run_tune(const TuneStudy& study, const PreparedPlan& prepared, RunFolder& folder,
              std::vector<TrialRecord>& records, bool quiet) {
  TuneSink sink(folder, records, quiet);
  std::vector<std::string> names;
  const Plan named = drop_labels_without_effect(study.plan);
  for (const Point& point : named.points) names.push_back(point.name());
  sink.set_names(std::move(names));
  const SupervisorOptions options = options_for(prepared);
  std::vector<PlannedRun> todo = first_left(study, records);
  if (study.grid.space.points().size() < 2) todo.clear();
  if (!todo.empty()) supervise(study.plan, todo, options, sink);
  TuneReplay replay(study, problem_of(study, records), records);
  while (!interrupted() && !(todo = replay.go_on()).empty()) {
    sink.begin_round(hopeless_below(study, replay.next(), records), study.mode);
    supervise(study.plan, todo, options, sink);
    folder.sync();
  }
  folder.sync();
}

}  // namespace benchbench
