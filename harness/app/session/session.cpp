#include "harness/app/session/session.h"

#include <memory>

#include "harness/analysis/rules/rules.h"
#include "harness/app/interrupt.h"
#include "harness/app/preparation/trial_runner.h"
#include "harness/record/setting_keys.h"

namespace benchbench {

void judge_record(TrialRecord& record) {
  Judgement judgement = judge(record);
  record.status = judgement.status;
  record.reasons = std::move(judgement.reasons);
}

namespace {

void store_record(TrialRecord& record, RunFolder& folder) {
  if (record.status != Status::invalid) judge_record(record);
  folder.append(record);
  record.raw_series.clear();
}

}  // namespace

Isolation read_isolation(const Plan& plan, bool in_children) {
  const Value* isolation = plan.scenario.base.find(keys::measure.isolation);
  const std::string how = isolation ? isolation->text() : "round";
  if (how == "trial") return Isolation::trial;
  return how == "none" && !in_children ? Isolation::none : Isolation::round;
}

Session::Session(TrialPlace place, std::optional<OpenedRun> opened, SessionKeeps keeps)
    : place_(std::move(place)), keeps_(keeps) {
  if (!opened) return;
  folder_.emplace(std::move(opened->folder));
  for (const TrialRecord& record : opened->records) count(record);
  if (keeps_.records) records_ = std::move(opened->records);
}
SupervisorOptions Session::make_options(SessionRules rules) const {
  SupervisorOptions o;
  o.isolation = rules.isolation;
  o.program = place_.program;
  o.child_arguments = {"child", "--cache", place_.cache_folder};
  if (place_.simulated) o.child_arguments.emplace_back("--simulated");
  o.environment = place_.environment;
  o.stop = &interrupted();
  o.budget = std::move(rules.budget);
  o.enough_rounds = std::move(rules.enough_rounds);
  if (rules.isolation != Isolation::none) return o;
  o.run_here =
      [here = std::make_shared<TrialRunner>(place_.cache_folder, place_.simulated, interrupted())](
          const Trial& trial, const PlannedRun& planned, const std::atomic<bool>& stop) {
        return here->run(trial, planned, {}, &stop);
      };
  return o;
}

SupervisorEnd Session::run(const Plan& plan, std::span<const PlannedRun> todo, SessionRules rules,
                           const SessionWatch& watch) {
  watch_ = &watch;
  const SupervisorOptions options = make_options(std::move(rules));
  last_end_ = Clock::now();
  const SupervisorEnd end = supervise(plan, todo, options, *this);
  if (folder_) folder_->sync();
  return end;
}

void Session::started(const Trial& trial, const PlannedRun& planned) {
  if (watch_->started) watch_->started(trial, planned);
}

void Session::progressed(const Trial& trial, const PlannedRun&, const TrialProgress& progress) {
  if (watch_->progressed) watch_->progressed(trial, progress);
  if (folder_) folder_->sync_if_due();
}

std::optional<std::string> Session::may_end(const Trial& trial, const PlannedRun&,
                                            const TrialProgress& progress) {
  return watch_->may_end ? watch_->may_end(trial, progress) : std::nullopt;
}

void Session::finished(TrialRecord& record) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - last_end_).count();
  last_end_ = now, seconds_ += seconds;
  if (keeps_.times) record.took_ns = static_cast<std::int64_t>(1e9 * seconds);
  store(record);
  if (watch_->finished) watch_->finished(record, seconds);
}

void Session::store(TrialRecord& record) {
  if (folder_) store_record(record, *folder_);
  count(record);
  if (keeps_.records) records_.push_back(record);
}

void Session::count(const TrialRecord& record) noexcept {
  const Status s = record.status;
  has_failed_ = has_failed_ || s == Status::failed;
  has_run_ = has_run_ || is_usable(s) || s == Status::invalid;
  last_round_ = record.planned.round;
}

}  // namespace benchbench
