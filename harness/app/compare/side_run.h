// One side of a comparison as it runs: a plan whose rounds are run a part at a time, with their
// records stored.
#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/core/child_process.h"
#include "harness/process/supervisor.h"
#include "harness/store/run_folder.h"

namespace benchbench {

// How the trials of a side run.
struct SideHow {
  std::string program = kOwnProgram;  // its `child` runs them
  std::string cache_folder;
  bool simulated = false;
  Environment environment;
};

class SideRun {
 public:
  // Makes the folder. Throws as RunFolder::create().
  SideRun(Plan plan, const std::string& folder, SideHow how);
  // In a process of their own, which ends with the budget; without one where it has no aim.
  SupervisorEnd run(std::span<const PlannedRun> runs, const RunBudget& budget);
  const Plan& plan() const noexcept { return plan_; }
  const std::vector<TrialRecord>& records() const noexcept { return records_; }
  std::string folder() const { return folder_.path(); }
  // Every trial so far failed: what the first one said; empty otherwise.
  std::string why_all_failed() const;

 private:
  Plan plan_;
  RunFolder folder_;
  SupervisorOptions options_;
  std::vector<TrialRecord> records_;
};

// The same plan with the trials of these points alone, in `rounds` rounds.
Plan plan_of_points(const Plan& plan, const std::set<std::uint32_t>& points, std::uint32_t rounds);

}  // namespace benchbench
