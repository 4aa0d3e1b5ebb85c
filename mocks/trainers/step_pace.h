// How a mock trainer's steps keep to their times.
#pragma once
#include "harness/part/trainer.h"
#include "mocks/deadline_chain.h"

namespace benchbench {

// A step lasts its time from its call on. What the step before overran its own deadline by is made
// good as far as the batch was there by then, so that lateness does not add up; a get that was late
// makes no step shorter. One thread.
class StepPace {
 public:
  StepPace(Runtime& runtime, Spend spend, Pace pace = Pace::chained) noexcept
      : runtime_(runtime), chain_(runtime, spend, pace) {}

  void begin(const StepContext& context, Nanoseconds total) noexcept {
    const TimePoint now = runtime_.now();
    chain_.go_on_from(now - behind(context), now, total);
    chain_.begin_piece(total, now - chain_.at());
  }
  // The next part of the step, billed to `stage`.
  void spend(StepContext& context, Stage stage, Nanoseconds time) {
    const StageScope scope(context.meter, runtime_, context.step, stage);
    pass(time);
  }
  // The same, billed by the caller.
  void pass(Nanoseconds time) { chain_.spend(time); }
  TimePoint at() const noexcept { return chain_.at(); }
  void end() noexcept { chain_.end_piece(); }
  // As Trainer::mock_time() has it.
  const MockTime& mock_time() const noexcept { return chain_.time(); }

 private:
  // Returns how much earlier the step could have been called, had the step before been in time.
  Nanoseconds behind(const StepContext& context) const noexcept {
    if (context.free == kNotKnown || context.filled == kNotKnown) return Nanoseconds{0};
    return std::clamp(context.free - context.filled, Nanoseconds{0}, chain_.late());
  }

  Runtime& runtime_;
  DeadlineChain chain_;
};

}  // namespace benchbench
