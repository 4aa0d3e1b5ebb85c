#include "harness/app/tune/tune_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/rules.h"
#include "harness/app/interrupt.h"
#include "harness/app/tell.h"
#include "harness/core/child_process.h"
#include "harness/core/units.h"
#include "harness/process/supervisor.h"
#include "harness/report/tune/tune_report.h"

namespace benchbench {
namespace {

// Stores each record, judged, before the next trial starts.
class TuneSink final : public TrialSink {
 public:
  TuneSink(RunFolder& folder, std::vector<TrialRecord>& records, bool quiet) : folder_(folder), records_(records), quiet_(quiet) {}
  void started(const Trial&, const PlannedRun&) override {}
  void progressed(const Trial&, const PlannedRun&, const TrialProgress&) override { folder_.sync_if_due(); }
  void finished(TrialRecord& record) override {
    Judgement judgement = judge(record);
    record.status = judgement.status;
    record.reasons = std::move(judgement.reasons);
    folder_.append(record);
    record.raw_series.clear();
    if (!quiet_) tell_record(record);
    records_.push_back(record);
  }
  void set_names(std::vector<std::string> names) { names_ = std::move(names); }

 private:
  void tell_record(const TrialRecord& r) const {
    const std::string& name = names_.at(r.trial.points.empty() ? 0 : r.trial.points.front());
    std::string what = r.status == Status::valid || r.status == Status::noisy ? human_count(rate_of(r)) + " samples/s" : std::string(name_of(r.status));
    const bool usable = r.status == Status::valid || r.status == Status::noisy;
    if (!usable && !r.reasons.empty()) what += ": " + r.reasons.front().text;
    tell(fmt::format("  round {}: {} {}: {}\n", r.planned.round, name_of(r.trial.mode), name, what));
  }

  RunFolder& folder_;
  std::vector<TrialRecord>& records_;
  std::vector<std::string> names_;
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

std::vector<PlannedRun> first_left(const TuneStudy& study, const std::vector<TrialRecord>& records) {
  std::vector<PlannedRun> left;
  for (const PlannedRun& run : first_runs(study)) {
    const auto is_it = [&](const TrialRecord& r) {
      return r.planned.trial == run.trial && r.planned.round == run.round && r.planned.repeat == run.repeat && r.status != Status::aborted;
    };
    if (std::ranges::none_of(records, is_it)) left.push_back(run);
  }
  return left;
}

}  // namespace

void run_tune(const TuneStudy& study, const PreparedPlan& prepared, RunFolder& folder, std::vector<TrialRecord>& records, bool quiet) {
  TuneSink sink(folder, records, quiet);
  std::vector<std::string> names;
  for (const Point& point : study.plan.points) names.push_back(point.name());
  sink.set_names(std::move(names));
  const SupervisorOptions options = options_for(prepared);
  std::vector<PlannedRun> todo = first_left(study, records);
  if (study.grid.space.points().size() < 2) todo.clear();
  for (;;) {
    if (!todo.empty()) supervise(study.plan, todo, options, sink);
    folder.sync();
    if (interrupted()) return;
    todo = replay(study, problem_of(study, records), records).todo;
    if (todo.empty()) return;
  }
}

}  // namespace benchbench
