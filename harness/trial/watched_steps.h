// The steps of a trial, one after the other, and all that is watched meanwhile.
#pragma once
#include "harness/trial/trial_parts.h"

namespace benchbench {

// Thrown where nothing of a trial takes virtual time: so many steps in a row, and their samples.
struct ClockStands {
  std::uint64_t steps = 0, samples = 0;
};

// Ends the trial where it is interrupted, where the loader beside it has died, where a virtual
// clock stands still; tells how it goes a few times a second. The trainer's thread's.
class WatchedSteps {
 public:
  WatchedSteps(const TrialContext& context, TrialParts& parts) noexcept
      : context_(context), parts_(parts) {}

  // One step; returns when it ended. Throws what the parts throw, what the interruption asks for,
  // and ClockStands.
  TimePoint step();
  // Steps that nobody counts.
  void steps_uncounted(std::uint64_t count) {
    for (; count > 0; --count) step();
  }
  // Throws what the interruption asks for. Between steps.
  void check_alive() const { context_.interruption.check(context_.runtime.now()); }
  // Tells the progress where some time has passed since the last time; always at the end.
  // `counted`: the time in which the loop's samples were counted.
  void report(Phase phase, double share, Nanoseconds counted);

 private:
  void check_clock(bool moved);

  const TrialContext& context_;
  TrialParts& parts_;
  TimePoint next_report_{};
  // In a row, in which virtual time stood still; samples before the first of them.
  std::uint64_t standing_steps_ = 0, samples_before_ = 0;
};

}  // namespace benchbench
