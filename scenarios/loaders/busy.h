// A lock that wants no runtime, for a few instructions.
#pragma once
#include <atomic>

#include "harness/core/pause.h"
#include "harness/core/runtime.h"

namespace benchbench {

// Holds the flag as long as it lives. With a runtime, other threads go on while it waits.
class Busy {
 public:
  explicit Busy(std::atomic_flag& flag, Runtime* runtime = nullptr) : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
      if (runtime)
        runtime->yield();
      else
        pause_cpu();
    }
  }
  ~Busy() { flag_.clear(std::memory_order_release); }
  Busy(const Busy&) = delete;

 private:
  std::atomic_flag& flag_;
};

}  // namespace benchbench
