// Tells how a run goes: a line redrawn on a terminal, a line per finished trial in a log. All on
// standard error.
#pragma once
#include <array>
#include <chrono>
#include <set>
#include <span>
#include <string>

#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/status_line.h"
#include "harness/process/budget_watch.h"
#include "harness/record/trial_record.h"
#include "harness/report/terminal/progress_line.h"
#include "harness/trial/executor.h"

namespace benchbench {

class RunProgress {
 public:
  // `budget`: of the trials, from now on; what it has no time for is not said to be left.
  RunProgress(const PreparedPlan& prepared, std::span<const PlannedRun> todo,
              const RunBudget& budget, bool quiet);
  void started(const Trial& trial, const PlannedRun& planned);
  void progressed(const TrialProgress& progress);
  void finished(const TrialRecord& record);

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_left() const;
  void draw();
  void tell_first_batch();
  void tell_first_fault(const TrialRecord& record);
  std::string point_of(const Trial& trial) const;
  void show_rates_of(const Trial& trial);
  void keep_rate(const Trial& trial, double rate);

  const Plan& plan_;
  std::span<const PlannedRun> todo_;
  bool quiet_;
  bool first_batch_told_ = false, fault_told_ = false;
  std::set<std::string> details_told_;  // of problems: several trials may fail alike
  Progress state_;
  StatusLine line_{{.redraw = std::chrono::milliseconds{100}, .print = {}}};
  std::size_t at_ = 0;  // of todo_
  const Clock::time_point start_ = Clock::now();
  Clock::time_point trial_start_{};
  BudgetWatch pace_;  // how long trials take, and until when they may
  // The latest rate of each mode, by point.
  std::map<std::uint32_t, std::array<std::optional<double>, 3>> rates_;
};

}  // namespace benchbench
