// How a mock trainer's steps keep to their times.
#pragma once
#include "harness/part/trainer.h"
#include "mocks/deadline_chain.h"

namespace benchbench {

// A step counts from when it could have begun: when its batch was there and the thread was free,
// less what the step before overran its own deadline by. See DeadlineChain for what that hides and
// what it does not. One thread.
class StepPace {
 public:
  StepPace(Runtime& runtime, Spend spend, Pace pace = Pace::chained) noexcept
      : runtime_(runtime), chain_(runtime, spend, pace) {}

  void begin(const StepContext& context, Nanoseconds total) noexcept {
    const TimePoint now = runtime_.now();
    const bool known = context.free != kNotKnown && context.filled != kNotKnown;
    chain_.go_on_from(known ? std::max(context.filled, context.free - chain_.late()) : now, now,
                      total);
    chain_.begin_piece(total);
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
  Runtime& runtime_;
  DeadlineChain chain_;
};

}  // namespace benchbench
