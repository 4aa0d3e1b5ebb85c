// The documented exit codes, and which one wins where several hold.
#pragma once
#include <vector>

namespace benchbench {

enum ExitCode : int {
  kDone = 0,
  kTrialFailed = 1,        // a trial failed; with --strict also any NOISY or INVALID
  kUsage = 2,              // command line, configuration, schema
  kRegression = 3,
  kInconclusive = 4,
  kNotWritten = 5,         // results could not be written
  kDoctorBlocked = 6,
  kBudgetEnded = 7,        // the budget ended before the minimum
  kNothingValid = 8,       // no trial VALID or NOISY
  kInterrupted = 130,
  kTerminated = 143,
};

// 130/143 > 5 > 2 > 6 > 8 > 7 > 3 > 4 > 1 > 0.
int strongest(const std::vector<int>& codes) noexcept;

}  // namespace benchbench
