// Pieces of work whose times are known, one after another on absolute deadlines.
#pragma once
#include <algorithm>

#include "harness/core/runtime.h"
#include "harness/part/batch.h"
#include "harness/part/mock_time.h"

namespace benchbench {

// Whether a batch's work counts from when it could have begun, or from the call. `entered` hides
// nothing: what the harness and the machine take between two calls is added to it, so that a rate
// shows what they cost.
enum class Pace : std::uint8_t { chained, entered };

// A piece of work ends at the chain's time plus its own, so that neither lateness nor what lies
// between two waits adds up. A chain that begins a batch counts from when it could have begun: the
// end of the batch before, or the moment there was something to do, whichever is later. What
// handing a batch over and waking a thread cost is so no part of a loader's time: measured, one of
// 1 ms a batch was 2-4 % slow with it. A trainer's step counts from its call: StepPace. A mock
// stays true: on the average it is never faster than asked, and what it may catch up is at most one
// batch's own time, or kMaxBehind where that is more. Under the simulated clock the time it counts
// from is always now. One thread.
class DeadlineChain {
 public:
  // A thread that lost its core to another for one slice of the scheduler (4 ms where this was
  // measured) makes that good. Without it mocks of 1 ms were up to 3 % slow beside a compiler: the
  // machine's noise in a number that is said to be known.
  static constexpr Nanoseconds kMaxBehind = std::chrono::milliseconds{5};

  DeadlineChain(Runtime& runtime, Spend spend, Pace pace = Pace::chained) noexcept
      : runtime_(runtime), spend_(spend), pace_(pace), at_(runtime.now()) {}

  TimePoint at() const noexcept { return at_; }

  // Begins work of `total` that could have begun at `could`, but not before the work before it was
  // to end; `entered` is now. kNotKnown: it could not have begun before.
  void begin(TimePoint entered, TimePoint could, Nanoseconds total) noexcept {
    go_on_from(could == kNotKnown ? entered : std::max(at_, could), entered, total);
    begin_piece(total, ended_ > at_ ? ended_ - at_ : Nanoseconds{0});
  }
  // Goes on at `could`, no further behind `entered`, which is now, than a piece of `total` may be.
  void go_on_from(TimePoint could, TimePoint entered, Nanoseconds total) noexcept {
    if (pace_ == Pace::entered) could = entered;
    at_ = std::clamp(could, entered - std::max(total, kMaxBehind), entered);
  }
  // A piece of work of `total` begins where the chain now is. It makes `caught_up` good of what the
  // piece before was late by.
  void begin_piece(Nanoseconds total, Nanoseconds caught_up) noexcept {
    caught_up_ = caught_up;
    asked_ = total;
    spent_ = {};
  }
  // The piece is to take `time` more.
  void ask_more(Nanoseconds time) noexcept { asked_ += time; }
  // Returns when `time` more has passed.
  void spend(Nanoseconds time) {
    at_ += time;
    spent_ += time;
    runtime_.spend_until(at_, spend_);
  }
  // The piece of work is done. It took what was spent and what it is late by, less what it made
  // good of the piece before being late: no moment counts twice. What else was waited for meanwhile
  // is in neither. `counts`: it is not the rest of a batch that another worker's piece stands for.
  void end_piece(bool counts = true) noexcept {
    ended_ = runtime_.now();
    late_ = std::max(ended_ - at_, Nanoseconds{0});
    time_.asked += asked_;
    time_.taken += spent_ + late_ - caught_up_;
    time_.pieces += counts;
  }
  // How far behind its time the last piece ended.
  Nanoseconds late() const noexcept { return late_; }
  // Of the pieces done.
  const MockTime& time() const noexcept { return time_; }
  // Something else was waited for: the chain goes on from now.
  void go_on_now() noexcept { at_ = std::max(at_, runtime_.now()); }

 private:
  Runtime& runtime_;
  Spend spend_;
  Pace pace_;
  TimePoint at_;
  TimePoint ended_ = TimePoint::min();              // the last piece
  Nanoseconds late_{0};                             // likewise
  Nanoseconds asked_{0}, spent_{0}, caught_up_{0};  // of the piece under way
  MockTime time_;
};

}  // namespace benchbench
