// A slower or remoter store than the one at hand, played below a loader: `dataset.storage`.
#pragma once
#include <cstdint>

#include "harness/core/units.h"

namespace benchbench {

// Any threads. The harness makes it from dataset.storage and owns it; it outlives the loader.
class EmulatedStorage {
 public:
  virtual ~EmulatedStorage() = default;
  // Returns when `bytes` asked for now would have come from the emulated storage: at once where it would have been faster
  // than that. `follows`: they lie right behind the bytes this store was asked for last, so that nothing has to seek.
  virtual void fetch(std::uint64_t bytes, bool follows) = 0;
  // The same of bytes asked for at `asked`: what the real read has taken since then is not waited for again.
  virtual void fetch_since(TimePoint asked, std::uint64_t bytes, bool follows) {
    static_cast<void>(asked);
    fetch(bytes, follows);
  }
};

}  // namespace benchbench
