// Pieces of work whose times are known, one after another on absolute deadlines.
#pragma once
#include <algorithm>

#include "harness/core/runtime.h"
#include "harness/part/batch.h"

namespace benchbench {

// A piece of work ends at the chain's time plus its own, so that neither lateness nor what lies between two
// waits adds up. A chain that begins a batch counts from when it could have begun: the end of the batch
// before, or the moment there was something to do, whichever is later. What handing a batch over and waking a
// thread cost is so no part of a mock's time: measured, a loader of 1 ms a batch was 2-4 % slow with it. A
// mock stays true: on the average it is never faster than asked, and what it catches up is never more than
// one batch's own time. Under the simulated clock the time it counts from is always now. One thread.
class DeadlineChain {
 public:
  DeadlineChain(Runtime& runtime, Spend spend) noexcept
      : runtime_(runtime), spend_(spend), at_(runtime.now()) {}

  TimePoint at() const noexcept { return at_; }

  // Begins work of `total` that could have begun at `could`, but not before the work before it was to end;
  // `entered` is now. kNotKnown: it could not have begun before.
  void begin(TimePoint entered, TimePoint could, Nanoseconds total) noexcept {
    go_on_from(could == kNotKnown ? entered : std::max(at_, could), entered, total);
  }
  // Goes on at `could`, as far as a piece of `total` is not over before `entered`, which is now.
  void go_on_from(TimePoint could, TimePoint entered, Nanoseconds total) noexcept {
    at_ = std::clamp(could, entered - total, entered);
  }
  // Returns when `time` more has passed.
  void spend(Nanoseconds time) {
    at_ += time;
    runtime_.spend_until(at_, spend_);
  }
  // Something else was waited for: the chain goes on from now.
  void go_on_now() noexcept { at_ = std::max(at_, runtime_.now()); }

 private:
  Runtime& runtime_;
  Spend spend_;
  TimePoint at_;
};

}  // namespace benchbench
