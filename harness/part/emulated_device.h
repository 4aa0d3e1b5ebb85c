// The figures of an emulated accelerator (trainer.emulated.*).
#pragma once
#include <cstdint>

#include "harness/core/units.h"

namespace benchbench {

struct EmulatedFigures {
  double pinned = 25e9;           // bytes per second, either way, from and to pinned memory
  double pageable = 7e9;          // bytes per second, from and to pageable memory
  Nanoseconds copy_call{3000};    // of the host, each copy that is enqueued
  Nanoseconds launch_call{3000};  // of the host, each kernel
  // Kernels under way at once, over all streams; a launch waits for the one that many before it.
  std::uint32_t queue = 1024;
  double memory_rate = 2e12;  // bytes per second that a kernel reads and writes
  std::uint64_t memory = std::uint64_t{80} << 30;  // bytes
  bool moves = false;                              // bytes are really copied
  bool operator==(const EmulatedFigures&) const = default;
};

}  // namespace benchbench
