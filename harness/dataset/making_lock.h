// One maker a data set, over all processes.
#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "harness/core/descriptor.h"
#include "harness/core/runtime.h"

namespace benchbench {

inline constexpr const char* kWritableHint =
    "is the cache folder writable? BENCHBENCH_CACHE selects another";

// Holds an exclusive flock on a file from construction to destruction; the kernel gives it back
// where the process dies.
class MakingLock {
 public:
  // Waits while another process holds it, calling `waiting` ten times a second. InterruptedError
  // when `stop` turned true, ScenarioError where the file cannot be made, or is a link: what it
  // leads to is not touched.
  MakingLock(const std::string& path, Runtime& runtime, const std::atomic<bool>& stop,
             const std::function<void()>& waiting);

 private:
  Descriptor file_;
};

}  // namespace benchbench
