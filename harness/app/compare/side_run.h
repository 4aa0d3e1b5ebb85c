// One side of a comparison as it runs: a plan whose rounds are run a part at a time, with their
// records stored.
#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/app/session/session.h"

namespace benchbench {

class SideRun {
 public:
  // Makes the folder. Throws as RunFolder::create().
  SideRun(Plan plan, const std::string& folder, const TrialPlace& place);
  // In a process of their own, which ends with the budget; without one where it has no aim.
  SupervisorEnd run(std::span<const PlannedRun> runs, const RunBudget& budget);
  const Plan& plan() const noexcept { return plan_; }
  const std::vector<TrialRecord>& records() const noexcept { return session_.records(); }
  std::string folder() const { return session_.folder().path(); }
  // Every trial so far failed: what the first one said; empty otherwise.
  std::string why_all_failed() const;

 private:
  Plan plan_;
  Session session_;
};

// The same plan with the trials of these points alone, in `rounds` rounds.
Plan plan_of_points(const Plan& plan, const std::set<std::uint32_t>& points, std::uint32_t rounds);

}  // namespace benchbench
