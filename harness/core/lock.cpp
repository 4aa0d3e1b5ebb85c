#include "harness/core/lock.h"

#include <algorithm>

#include "harness/core/pause.h"

namespace benchbench {

struct Lock::Parked {
  Waiter waiter;
  Parked* next = nullptr;
};

void Lock::acquire_slowly() {
  if (!runtime_.simulated()) {
    // A critical section is shorter than a wake-up: watch it for about a microsecond.
    for (int i = 0; i < 30; ++i) {
      std::uint32_t expected = kFree;
      if (state_.load(std::memory_order_relaxed) == kFree &&
          state_.compare_exchange_weak(expected, kHeld, std::memory_order_acquire))
        return;
      pause_cpu();
    }
  }
  Parked me;
  bool came_before = false;
  for (;;) {
    lock_queue();
    // Whoever is about to park leaves kHeldAndWaitedFor behind, so the holder's release looks into
    // the queue. Entering the queue and this exchange are one step for wake_first(), so no wake-up
    // falls between them.
    if (state_.exchange(kHeldAndWaitedFor, std::memory_order_acquire) == kFree) {
      unlock_queue();
      return;
    }
    if (came_before) {
      me.next = first_;
      first_ = &me;
      if (!last_) last_ = &me;
    } else {
      (last_ ? last_->next : first_) = &me;
      last_ = &me;
    }
    unlock_queue();
    try {
      runtime_.park(me.waiter, kForever);
    } catch (...) {  // a deadlock of the simulated runtime
      leave_queue(me);
      throw;
    }
    me.next = nullptr;
    came_before = true;
  }
}

void Lock::wake_first() {
  lock_queue();
  Parked* const woken = first_;
  if (woken) {
    first_ = woken->next;
    if (!first_) last_ = nullptr;
  }
  unlock_queue();
  if (woken) runtime_.unpark(woken->waiter);  // it cannot leave before this permit
}

void Lock::leave_queue(Parked& parked) {
  lock_queue();
  Parked* before = nullptr;
  for (Parked* p = first_; p; before = p, p = p->next) {
    if (p != &parked) continue;
    (before ? before->next : first_) = p->next;
    if (last_ == p) last_ = before;
    break;
  }
  unlock_queue();
}

void Lock::lock_queue() noexcept {
  for (int tries = 0; queue_busy_.test_and_set(std::memory_order_acquire); ++tries) {
    if (tries < 64)
      pause_cpu();
    else
      runtime_.yield();
  }
}

namespace {

// Takes the waiter out of the list again, also where park() throws.
class Entry {
 public:
  Entry(std::vector<Waiter*>& list, Waiter& waiter) : list_(list), waiter_(waiter) {
    list_.push_back(&waiter_);
  }
  ~Entry() {
    if (const auto at = std::ranges::find(list_, &waiter_); at != list_.end()) list_.erase(at);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  std::vector<Waiter*>& list_;
  Waiter& waiter_;
};

// The lock is free during its life and held again after it.
class Unguard {
 public:
  explicit Unguard(Guard& guard) : guard_(guard) { guard_.release(); }
  ~Unguard() { guard_.acquire(); }
  Unguard(const Unguard&) = delete;
  Unguard& operator=(const Unguard&) = delete;

 private:
  Guard& guard_;
};

}  // namespace

// The waiter's end is safe: unpark() is only called with the lock held and by then the waiter is
// out of the list; we take the lock again before we leave, so no unpark() can still be under way.
void Waiters::wait(Guard& guard, Runtime& runtime, TimePoint deadline) {
  Waiter me;
  const Entry entry(waiting_, me);
  const Unguard unguard(guard);
  runtime.park(me, deadline);
}

void Waiters::wake_one(Runtime& runtime) {
  if (waiting_.empty()) return;
  Waiter* const first = waiting_.front();
  waiting_.erase(waiting_.begin());
  runtime.unpark(*first);
}

void Waiters::wake_all(Runtime& runtime) {
  while (!waiting_.empty()) wake_one(runtime);
}

}  // namespace benchbench
