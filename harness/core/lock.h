// A lock and a condition built on Runtime::park, so that they work on both runtimes.
#pragma once
#include <vector>

#include "harness/core/runtime.h"

namespace benchbench {

// Mutual exclusion, first come first served among those that had to park. Not recursive. Meant for critical
// sections of well under a microsecond.
class Lock {
 public:
  explicit Lock(Runtime& runtime) noexcept : runtime_(runtime) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  void acquire();
  void release();
  Runtime& runtime() const noexcept { return runtime_; }

 private:
  Runtime& runtime_;
  std::atomic<std::uint32_t> state_{0};  // 0 free, 1 held
};

class Guard {
 public:
  explicit Guard(Lock& lock) : lock_(lock) { lock_.acquire(); }
  ~Guard() { if (held_) lock_.release(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  void release() { lock_.release(); held_ = false; }
  void acquire() { lock_.acquire(); held_ = true; }

 private:
  Lock& lock_;
  bool held_ = true;
};

// Those who wait for something guarded by a Lock. Waiting always re-checks its condition: a wake-up is a hint.
// All members need the lock held.
class Waiters {
 public:
  // Releases the lock, waits for wake_one/wake_all or the deadline, takes the lock again.
  void wait(Guard& guard, Runtime& runtime, TimePoint deadline = kForever);
  void wake_one(Runtime& runtime);
  void wake_all(Runtime& runtime);
  bool empty() const noexcept { return waiting_.empty(); }

 private:
  std::vector<Waiter*> waiting_;
};

}  // namespace benchbench
