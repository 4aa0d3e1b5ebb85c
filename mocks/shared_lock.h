// A lock that a loader's workers share. A loader is made without a runtime; its workers bring
// theirs.
#pragma once
#include <atomic>

#include "harness/core/lock.h"

namespace benchbench {

class SharedLock {
 public:
  SharedLock() = default;
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;
  ~SharedLock() { delete lock_.load(std::memory_order_acquire); }

  // The one lock; the first to ask makes it. All ask with the same runtime. Any threads.
  Lock& on(Runtime& runtime) {
    if (Lock* const made = lock_.load(std::memory_order_acquire)) return *made;
    auto* const mine = new Lock(runtime);
    Lock* other = nullptr;
    if (lock_.compare_exchange_strong(other, mine, std::memory_order_acq_rel)) return *mine;
    delete mine;
    return *other;
  }

 private:
  std::atomic<Lock*> lock_{nullptr};
};

}  // namespace benchbench
