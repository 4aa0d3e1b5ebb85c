// A lock and a condition built on Runtime::park, so that they work on both runtimes.
#pragma once
#include <vector>

#include "harness/core/runtime.h"

namespace benchbench {

// Mutual exclusion. Those that had to park are woken first come first served; a newcomer may take a
// lock that is free at that moment, so that a lock is never idle while the woken one is on its way.
// Not recursive. Meant for critical sections of well under a microsecond.
class Lock {
 public:
  // Not `shared`: one thread alone comes to what it guards, and taking it costs nothing.
  explicit Lock(Runtime& runtime, bool shared = true) noexcept
      : runtime_(runtime), shared_(shared) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  void acquire() {
    std::uint32_t expected = kFree;
    if (shared_ && !state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire))
      acquire_slowly();
  }
  void release() {
    if (shared_ && state_.exchange(kFree, std::memory_order_release) == kHeldAndWaitedFor)
      wake_first();
  }
  Runtime& runtime() const noexcept { return runtime_; }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kHeldAndWaitedFor = 2;  // held and somebody may be parked

  struct Parked;  // lives on the stack of the one that parks
  void acquire_slowly();
  void wake_first();
  void leave_queue(Parked& parked);
  void lock_queue() noexcept;
  void unlock_queue() noexcept { queue_busy_.clear(std::memory_order_release); }

  Runtime& runtime_;
  const bool shared_;
  std::atomic<std::uint32_t> state_{kFree};
  std::atomic_flag queue_busy_ = ATOMIC_FLAG_INIT;
  Parked* first_ = nullptr;
  Parked* last_ = nullptr;
};

class Guard {
 public:
  explicit Guard(Lock& lock) : lock_(lock) { lock_.acquire(); }
  ~Guard() {
    if (held_) lock_.release();
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  void release() {
    lock_.release();
    held_ = false;
  }
  void acquire() {
    lock_.acquire();
    held_ = true;
  }

 private:
  Lock& lock_;
  bool held_ = true;
};

// Those who wait for something guarded by a Lock. Waiting always re-checks its condition, after a
// deadline too: a wake-up is a hint, and one may come together with the deadline.
// All members need the lock held.
class Waiters {
 public:
  // Releases the lock, waits for wake_one/wake_all or the deadline, takes the lock again. Woken in
  // the order they came.
  void wait(Guard& guard, Runtime& runtime, TimePoint deadline = kForever);
  void wake_one(Runtime& runtime);
  void wake_all(Runtime& runtime);
  bool empty() const noexcept { return waiting_.empty(); }

 private:
  std::vector<Waiter*> waiting_;
};

}  // namespace benchbench
