// The trials of a run, or of a part of it: each one runs, is judged, is stored before the next one
// starts, and is counted. Records that were measured elsewhere, too.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/app/preparation/trial_place.h"
#include "harness/app/session/opened_run.h"
#include "harness/process/supervisor.h"

namespace benchbench {

// Gives a record its verdict, so that a reader of the journal sees what the report says. Rules of a
// later version judge again.
void judge_record(TrialRecord& record);

// Returns measure.isolation. With `in_children` no trial runs in this process: none is round.
Isolation read_isolation(const Plan& plan, bool in_children = false);

// The calls that a command gets while trials run. Each function may be empty; all are called on the
// thread of Session::run().
struct SessionWatch {
  std::function<void(const Trial&, const PlannedRun&)> started = {};
  std::function<void(const Trial&, const TrialProgress&)> progressed = {};
  // See TrialSink::may_end().
  std::function<std::optional<std::string>(const Trial&, const TrialProgress&)> may_end = {};
  // Called once the record is stored. `seconds`: since the trial before it ended.
  std::function<void(const TrialRecord&, double seconds)> finished = {};
};

// Choices of what a session keeps beyond its counts.
struct SessionKeeps {
  bool records = true;  // in memory
  bool times = false;   // what each trial took, in its record
};

// Choices of how trials run.
struct SessionRules {
  Isolation isolation = Isolation::round;
  RunBudget budget = {};
  std::function<bool(std::uint32_t complete)> enough_rounds = {};  // as SupervisorOptions has it
};

// One thread. An interrupt stops it.
class Session final : private TrialSink {
 public:
  // `opened`: the folder, and what it holds already. nullopt: records are neither judged nor
  // stored, and keep their series.
  Session(TrialPlace place, std::optional<OpenedRun> opened, SessionKeeps keeps = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Runs `todo` in its order, and syncs what was stored. Throws what the folder throws.
  SupervisorEnd run(const Plan& plan, std::span<const PlannedRun> todo, SessionRules rules = {},
                    const SessionWatch& watch = {});
  // Takes a record, of a trial that run() ran or of one that was measured elsewhere: judges it,
  // appends it, clears its raw series, counts it, and keeps a copy with SessionKeeps::records. One
  // that is INVALID already, as a trial that was ended early is, keeps its reason. Throws as
  // RunFolder::append(); the record is then neither counted nor kept.
  void store(TrialRecord& record);
  // Calls RunFolder::replace(): with the records that are kept, or with these.
  void replace(const Plan& plan) { replace(plan, records_); }
  void replace(const Plan& plan, std::span<const TrialRecord> records) {
    folder_->replace(plan, records);
  }

  const RunFolder& folder() const noexcept { return *folder_; }
  // Empty without SessionKeeps::records.
  const std::vector<TrialRecord>& records() const noexcept { return records_; }
  // Returns true if every trial that ran failed: more rounds would show the same again.
  bool nothing_runs() const noexcept { return has_failed_ && !has_run_; }
  std::uint32_t last_round() const noexcept { return last_round_; }
  double seconds() const noexcept { return seconds_; }  // of all that run() has run

 private:
  using Clock = std::chrono::steady_clock;
  void started(const Trial& trial, const PlannedRun& planned) override;
  void progressed(const Trial& trial, const PlannedRun&, const TrialProgress& progress) override;
  std::optional<std::string> may_end(const Trial& trial, const PlannedRun&,
                                     const TrialProgress& progress) override;
  void finished(TrialRecord& record) override;
  void count(const TrialRecord& record) noexcept;
  SupervisorOptions make_options(SessionRules rules) const;

  const TrialPlace place_;
  std::optional<RunFolder> folder_;
  const SessionKeeps keeps_;
  const SessionWatch* watch_ = nullptr;  // of the run() that runs
  std::vector<TrialRecord> records_;
  bool has_failed_ = false, has_run_ = false;  // any trial
  std::uint32_t last_round_ = 0;
  Clock::time_point last_end_;
  double seconds_ = 0;
};

}  // namespace benchbench
