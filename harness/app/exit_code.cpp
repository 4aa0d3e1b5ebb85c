#include "harness/app/exit_code.h"

#include <algorithm>
#include <array>

namespace benchbench {

int strongest(const std::vector<int>& codes) noexcept {
  constexpr std::array order{kInterrupted, kTerminated, kNotWritten, kUsage, kDoctorBlocked, kNothingValid,
                             kBudgetEnded, kRegression, kInconclusive, kTrialFailed};
  for (const int code : order)
    if (std::ranges::find(codes, code) != codes.end()) return code;
  return kDone;
}

}  // namespace benchbench
