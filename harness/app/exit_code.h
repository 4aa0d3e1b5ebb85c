// The documented exit codes, and which one wins where several hold.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace benchbench {

enum ExitCode : int {
  kDone = 0,
  kTrialFailed = 1,
  kUsage = 2,
  kRegression = 3,
  kInconclusive = 4,
  kNotWritten = 5,
  kLacking = 6,  // something that this machine lacks
  kBudgetEnded = 7,
  kNothingValid = 8,
  kDoubts = 9,  // under --strict
  kInterrupted = 130,
  kTerminated = 143,
};

struct ExitMeaning {
  int code;
  std::string_view text;
};
// All of them with their meaning, strongest first, kDone last.
std::span<const ExitMeaning> exit_meanings() noexcept;

// Of `benchbench wrap`, where the script's own codes are not handed on: 64 added to ours, so that
// they differ.
std::span<const ExitMeaning> wrap_exit_meanings() noexcept;

// 130/143 > 5 > 2 > 6 > 8 > 7 > 3 > 4 > 1 > 9 > 0.
int strongest(const std::vector<int>& codes) noexcept;

}  // namespace benchbench
