// Copies of bytes on a thread of their own, in order: what an accelerator would do.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/lock.h"
#include "harness/core/runtime.h"

namespace benchbench {

// One thread asks; the copies are made on another, which is started with the first. In virtual time
// they are made at once: they take no time there.
class CopyThread {
 public:
  explicit CopyThread(Runtime& runtime) noexcept;
  ~CopyThread();

  struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
    // Not null: of rows of `row` bytes, the one of each id; ids are read when the copy is made.
    const std::byte* ids = nullptr;
    std::size_t row = 0;
  };
  // Returns the copy's number, counted from 1. Both sides must stay until it is done.
  std::uint64_t add(const Copy& copy);
  bool done(std::uint64_t number) const noexcept {
    return made_.load(std::memory_order_acquire) >= number;
  }
  // Returns when it is done.
  void wait(std::uint64_t number);

 private:
  class Loop;

  Runtime& runtime_;
  std::uint64_t asked_ = 0;
  std::atomic<std::uint64_t> made_{0};
  std::unique_ptr<Loop> loop_;
};

}  // namespace benchbench
