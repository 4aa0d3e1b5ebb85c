// Many threads make, one hands on in order.
#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>

#include "harness/core/runtime.h"
#include "harness/dataset/sample_source.h"

namespace benchbench {

// Makes samples 0..source.samples() on `threads` threads of `runtime` and gives them to `take` in
// id order, on the calling thread. At most 8 finished samples a thread wait for their turn. The
// first error, of a maker or of `take`, ends it and is thrown; InterruptedError when `stop` turned
// true. All threads have ended on return.
void make_in_order(const SampleSource& source, Runtime& runtime, unsigned threads,
                   const std::atomic<bool>& stop,
                   const std::function<void(SampleId, std::span<const std::byte>)>& take);

}  // namespace benchbench
