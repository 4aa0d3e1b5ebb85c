// Many threads make, one hands on in order.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

#include "harness/core/runtime.h"
#include "harness/dataset/sample_source.h"

namespace benchbench {

// Returns the number of whole cores: a thread more than the quota allows gets them all stopped for
// the rest of each period.
unsigned making_threads();

// Lets about 10 reports of progress a second through.
class Pace {
 public:
  bool passes(TimePoint now) {
    if (now - last_ < std::chrono::milliseconds{100}) return false;
    last_ = now;
    return true;
  }

 private:
  TimePoint last_{};
};

using TakeSample = std::function<void(SampleId id, std::span<const std::byte> payload)>;

// Makes samples 0..source.samples() on `threads` threads of `runtime` and gives them to `take` in
// id order, on the calling thread. At most 8 finished samples a thread wait for their turn. The
// first error, of a maker or of `take`, ends it and is thrown; InterruptedError when `stop` turned
// true. All threads have ended on return.
void make_in_order(const SampleSource& source, Runtime& runtime, unsigned threads,
                   const std::atomic<bool>& stop, const TakeSample& take);

}  // namespace benchbench
