// What may end a trial from outside.
#pragma once
#include <atomic>

#include "harness/core/runtime.h"

namespace benchbench {

// Asked at each step, and some times a second where the trainer waits for a batch.
class Interruption {
 public:
  Interruption() = default;
  // `deadline`: on the trial's runtime; `timeout` is the text for the message.
  Interruption(const std::atomic<bool>* stop, TimePoint deadline, Nanoseconds timeout) noexcept
      : stop_(stop), deadline_(deadline), timeout_(timeout) {}
  // Throws InterruptedError where a stop is asked for, PartError "timed out after ..." past the
  // deadline.
  void check(TimePoint now) const;
  // How long a wait may last before the next check: never longer than people notice. Virtual time
  // jumps over a wait, and nobody can ask for a stop meanwhile, so only the deadline bounds it
  // there.
  TimePoint next_check(const Runtime& runtime) const noexcept;

 private:
  const std::atomic<bool>* stop_ = nullptr;
  TimePoint deadline_ = kForever;
  Nanoseconds timeout_{0};
};

}  // namespace benchbench
