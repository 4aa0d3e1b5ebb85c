// How a mock trainer's steps keep to their times, and how true they were.
#pragma once
#include <limits>

#include "harness/part/trainer.h"
#include "mocks/deadline_chain.h"

namespace benchbench {

// A step counts from when it could have begun: when its batch was there and the thread was free, less what
// the step before overran its own deadline by. See DeadlineChain for what that hides and what it does not.
// One thread.
class StepPace {
 public:
  StepPace(Runtime& runtime, Spend spend, Pace pace = Pace::chained) noexcept
      : runtime_(runtime), chain_(runtime, spend, pace) {}

  void begin(const StepContext& context, Nanoseconds total) noexcept {
    const TimePoint now = runtime_.now();
    const bool known = context.free != kNotKnown && context.filled != kNotKnown;
    chain_.go_on_from(known ? std::max(context.filled, context.free - late_) : now, now, total);
    start_ = chain_.at();
    asked_ += total;
  }
  // The next part of the step, billed to `stage`.
  void spend(StepContext& context, Stage stage, Nanoseconds time) {
    const StageScope scope(context.meter, runtime_, context.step, stage);
    pass(time);
  }
  // The same, billed by the caller.
  void pass(Nanoseconds time) { chain_.spend(time); }
  TimePoint at() const noexcept { return chain_.at(); }
  void end() noexcept {
    const TimePoint now = runtime_.now();
    late_ = std::max(now - chain_.at(), Nanoseconds{0});
    taken_ += now - std::max(start_, last_end_);  // no moment counts twice
    last_end_ = now;
  }
  // As Trainer::fidelity() has it.
  double fidelity() const noexcept {
    if (asked_.count() == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(taken_.count()) / static_cast<double>(asked_.count());
  }

 private:
  Runtime& runtime_;
  DeadlineChain chain_;
  TimePoint start_{};
  TimePoint last_end_ = TimePoint::min();
  Nanoseconds late_{0};
  Nanoseconds taken_{0};
  Nanoseconds asked_{0};
};

}  // namespace benchbench
