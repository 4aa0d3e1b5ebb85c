#include "harness/pipeline/batch_queue.h"

#include <algorithm>

#include "harness/core/error.h"

namespace benchbench {

BatchQueue::BatchQueue(Runtime& runtime, std::uint32_t max_jobs, bool in_order, bool metered,
                       bool shared)
    : runtime_(runtime),
      in_order_(in_order),
      shared_(shared),
      lock_(runtime, shared),
      ready_(max_jobs),
      metered_(metered),
      began_(metered ? runtime.now() : TimePoint{}),
      changed_at_(began_) {}

// The one reading comes behind all that could keep the trainer from the batch: a worker that loses
// its core before it has the lock, or while it wakes the trainer, is what the trainer waits for.
void BatchQueue::put(RingSlot& slot) {
  Guard guard(lock_);
  slot.state = SlotState::ready;
  ready_[(in_order_ ? slot.batch : next_ + count_) % ready_.size()] = &slot;
  if (next_is_ready()) trainer_.wake_one(runtime_);
  const TimePoint now = metered_ || shared_ ? runtime_.now() : TimePoint{};
  slot.filled = shared_ ? now : TimePoint{};
  if (metered_) slot.ready_at = now;
  change_depth(+1, now);
}

RingSlot* BatchQueue::get(TimePoint deadline) {
  std::exception_ptr cause;
  {
    Guard guard(lock_);
    while (!closed_) {
      if (next_is_ready()) return pop();
      if (deadline != kForever && runtime_.now() >= deadline) return nullptr;
      trainer_.wait(guard, runtime_, deadline);
    }
    cause = cause_;
  }
  if (cause) std::rethrow_exception(cause);
  throw InterruptedError("the batch queue was closed");
}

void BatchQueue::close(std::exception_ptr cause) {
  Guard guard(lock_);
  if (!cause_) cause_ = std::move(cause);
  closed_ = true;
  trainer_.wake_all(runtime_);
}

bool BatchQueue::closed() {
  Guard guard(lock_);
  return closed_;
}

bool BatchQueue::next_is_ready() const noexcept { return ready_[next_ % ready_.size()] != nullptr; }

RingSlot* BatchQueue::pop() noexcept {
  RingSlot* const slot = std::exchange(ready_[next_ % ready_.size()], nullptr);
  ++next_;
  const TimePoint now = metered_ ? runtime_.now() : TimePoint{};
  slot->got_at = now;
  change_depth(-1, now);
  return slot;
}

void BatchQueue::change_depth(int by, TimePoint at) noexcept {
  if (metered_) {
    facts_.depth_ns += static_cast<std::int64_t>(count_) * (at - changed_at_).count();
    changed_at_ = at;
    facts_.batches += by > 0;
  }
  count_ += by;
  if (metered_ && track_) track_->value(kTraceDepth, at, static_cast<std::int64_t>(count_));
  if (metered_) facts_.deepest = std::max<std::uint64_t>(facts_.deepest, count_);
}

QueueFacts BatchQueue::facts(TimePoint now) const noexcept {
  QueueFacts facts = facts_;
  if (!metered_) return facts;
  facts.depth_ns += static_cast<std::int64_t>(count_) * (now - changed_at_).count();
  facts.seen_ns = (now - began_).count();
  return facts;
}

}  // namespace benchbench
