// Work that really occupies a core and the memory bus until a deadline.
#pragma once
#include <cstdint>
#include <memory>

#include "harness/core/runtime.h"

namespace benchbench {

// One thread.
class CoreWork {
 public:
  // `traffic`: the most bytes a step moves to and from memory; buffers are made, and touched, for
  // that much up to 64 MiB (beyond the caches of most machines), so that copying them is memory
  // traffic.
  CoreWork(Runtime& runtime, std::uint64_t traffic);

  struct Order {
    TimePoint start;            // the traffic is spread from here
    Nanoseconds compute{0};     // multiply-adds until start + compute
    Nanoseconds memory{0};      // ... over this long
    std::uint64_t traffic = 0;  // bytes read plus bytes written
  };
  // Does both side by side; returns when both are done: late where this machine's memory cannot
  // keep up.
  void run(const Order& order);

 private:
  std::uint64_t copy_some(std::uint64_t left);
  void compute_some() noexcept;
  void rest(const Order& order, std::uint64_t moved);

  Runtime& runtime_;
  std::size_t half_ = 0;  // bytes of a buffer
  std::size_t at_ = 0;
  std::unique_ptr<std::byte[]> from_, to_;
  float lanes_[16] = {};  // kept, so that no compiler takes the arithmetic away
};

}  // namespace benchbench
