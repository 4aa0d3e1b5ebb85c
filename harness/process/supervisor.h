// Runs a plan's planned runs in child processes and hands each record over before the next trial
// starts. A crash, an out-of-memory kill or a hang costs one trial; the sweep goes on in a fresh
// child.
#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "harness/process/budget_watch.h"
#include "harness/record/trial_record.h"
#include "harness/trial/executor.h"

namespace benchbench {

enum class Isolation : std::uint8_t { round, trial, none };

// What the supervisor tells while it works. All calls on the supervisor's own thread.
class TrialSink {
 public:
  virtual ~TrialSink() = default;
  virtual void started(const Trial& trial, const PlannedRun& planned) = 0;
  virtual void progressed(const Trial& trial, const PlannedRun& planned,
                          const TrialProgress& progress) = 0;
  // Why a trial that came so far may end now: its record is then INVALID, with this reason and the
  // rate so far. nullopt: it goes on.
  virtual std::optional<std::string> may_end(const Trial&, const PlannedRun&,
                                             const TrialProgress&) {
    return std::nullopt;
  }
  // The record is complete but for its sequence; storing it is the sink's business. Throws to end
  // the run.
  virtual void finished(TrialRecord& record) = 0;
};

struct SupervisorOptions {
  Isolation isolation = Isolation::round;
  std::string program;                            // of the child; kOwnProgram
  std::vector<std::string> child_arguments;       // "child", "--cache", ...
  std::vector<std::string> child_environment;     // "OMP_NUM_THREADS=1", ...
  Environment environment;                        // for records of trials that left none
  std::chrono::milliseconds stop_patience{4000};  // from the stop flag to SIGKILL
  // Beyond a trial's own timeout, or a tenth of that if more.
  std::chrono::milliseconds hang_patience{3000};
  const std::atomic<bool>* stop = nullptr;
  // isolation none: runs a trial in this process, which is to end at its next step once the flag is
  // set.
  std::function<TrialRecord(const Trial&, const PlannedRun&, const std::atomic<bool>& stop)>
      run_here;
  RunBudget budget;  // a trial still running when all of it is spent is ABORTED
  // Asked before a round's first planned run with the number of rounds before it; true ends the
  // run. May be empty.
  std::function<bool(std::uint32_t complete)> enough_rounds;
};

// out_of_time: the budget ended before budget.least_rounds were complete; enough: after them;
// settled: enough_rounds said so.
enum class SupervisorEnd : std::uint8_t { complete, stopped, enough, out_of_time, settled };

// Runs `todo` in order. Trials with Trial::skip become SKIPPED records without a child.
SupervisorEnd supervise(const Plan& plan, std::span<const PlannedRun> todo,
                        const SupervisorOptions& options, TrialSink& sink);

// How long a child may take over a trial before it counts as hung and is killed: the trial's own
// timeout, which it should have kept to by itself, and then hang_patience, or a tenth of the
// timeout where that is more.
std::chrono::milliseconds hang_limit(const SettingsMap& settings,
                                     std::chrono::milliseconds hang_patience);

// What a child that runs trials says and hears, for both sides.
//   hears: "environment" JSON of Environment, calibrated: it need not observe its own · "trial"
//          JSON of Trial · "slot" "trial round repeat" · "run" · "stop"
//   says:  "progress" "phase share rate" · "series" name '\n' raw int64 values · "record" JSON
//          (ends the trial)
std::string progress_payload(const TrialProgress& progress);
TrialProgress progress_from(std::string_view payload);
std::string planned_payload(const PlannedRun& planned);
PlannedRun planned_from(std::string_view payload);

}  // namespace benchbench
