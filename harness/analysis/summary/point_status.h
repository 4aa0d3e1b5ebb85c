// The status of a point, with its reasons.
#pragma once
#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

struct PointStatus {
  Status status = Status::valid;
  std::vector<Reason> reasons;
  // By Mode; nullopt where the mode was not asked for. A rate whose mode is INVALID is shown and
  // used for nothing.
  std::array<std::optional<Status>, 3> mode_status{};
  bool is_usable_in(Mode mode) const noexcept {
    const auto& known = mode_status[static_cast<std::size_t>(mode)];
    return known && is_usable(*known);
  }
  // By Mode: without a record, for the run ended before; ABORTED then is no trial's status.
  std::array<bool, 3> never_ran{};
};

// SKIPPED where the point or all its trials cannot run here. Else the worst over its modes: a mode
// with a usable record is VALID, or NOISY where a round of it is NOISY, INVALID or FAILED; a mode
// without one is what its records are, FAILED before INVALID, ABORTED where there are none. Reasons
// are distinct.
PointStatus point_status(const Plan& plan, const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
