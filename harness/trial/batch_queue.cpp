#include "harness/trial/batch_queue.h"

#include "harness/core/error.h"

namespace benchbench {

BatchQueue::BatchQueue(Runtime& runtime, std::uint32_t max_jobs, bool in_order)
    : runtime_(runtime), in_order_(in_order), lock_(runtime), ready_(max_jobs) {}

void BatchQueue::put(RingSlot& slot) {
  Guard guard(lock_);
  slot.state = SlotState::ready;
  if (closed_) return;
  ready_[(in_order_ ? slot.batch : next_ + count_) % ready_.size()] = &slot;
  ++count_;
  if (next_is_ready()) trainer_.wake_one(runtime_);
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

bool BatchQueue::next_is_ready() const noexcept { return ready_[next_ % ready_.size()] != nullptr; }

RingSlot* BatchQueue::pop() noexcept {
  RingSlot* const slot = std::exchange(ready_[next_ % ready_.size()], nullptr);
  ++next_;
  --count_;
  return slot;
}

}  // namespace benchbench
