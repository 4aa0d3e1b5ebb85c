// One side of a comparison as it runs: a plan whose rounds are run a part at a time, with their
// records stored.
#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/app/compare/turns.h"
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
  // In a process of their own.
  SupervisorEnd run(std::span<const PlannedRun> runs);
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

// How many times the rounds that were asked for: a load that is on half of the time, in stretches
// of 2 s, leaves one pair of three undisturbed.
inline constexpr std::uint32_t kMostRounds = 4;

// Runs rounds 0 to n - 1 of both in turns (turns.h); of `a` alone where b is null. By pairs those
// that other programs disturbed run again, in rounds beyond n, until n are undisturbed or
// kMostRounds n rounds are over. In virtual time nothing comes and goes, and a process for each
// trial, which pairs take, is most of its cost. Ends early on an interrupt, or where a side's first
// round gave nothing but failures. Progress goes to standard error.
void run_in_turn(SideRun& a, SideRun* b, std::uint64_t seed, bool by_pairs, bool quiet);

}  // namespace benchbench
