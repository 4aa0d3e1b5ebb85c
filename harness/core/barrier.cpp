#include "harness/core/barrier.h"

namespace benchbench {

bool Barrier::arrive_and_wait() {
  Guard guard(lock_);
  if (closed_) return false;
  if (++arrived_ == parties_) {
    arrived_ = 0;
    ++meeting_;
    waiting_.wake_all(runtime_);
    return true;
  }
  // A meeting that was complete before the close stays one.
  for (const std::uint64_t mine = meeting_; meeting_ == mine;) {
    if (closed_) return false;
    waiting_.wait(guard, runtime_);
  }
  return true;
}

void Barrier::close() {
  Guard guard(lock_);
  closed_ = true;
  waiting_.wake_all(runtime_);
}

}  // namespace benchbench
