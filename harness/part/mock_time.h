// Of a mock that is to take a certain time: how much was asked for, and how much it took.
#pragma once
#include <atomic>
#include <cstdint>
#include <limits>

#include "harness/core/units.h"

namespace benchbench {

struct MockTime {
  // Over all pieces together; nothing asked: it is to take no certain time.
  Nanoseconds asked{0}, taken{0};
  std::uint64_t pieces = 0;  // steps of a trainer, fills of a loader

  // Time taken over time asked for: 1 is true to the scenario; NaN where nothing was asked for.
  double fidelity() const noexcept {
    if (asked.count() == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(taken.count()) / static_cast<double>(asked.count());
  }
};

// What workers add theirs to as they end. Thread-safe.
class MockTimeSum {
 public:
  void add(const MockTime& time) noexcept {
    asked_ += time.asked.count();
    taken_ += time.taken.count();
    pieces_ += time.pieces;
  }
  MockTime get() const noexcept { return {Nanoseconds{asked_}, Nanoseconds{taken_}, pieces_}; }

 private:
  std::atomic<std::int64_t> asked_{0}, taken_{0};
  std::atomic<std::uint64_t> pieces_{0};
};

}  // namespace benchbench
