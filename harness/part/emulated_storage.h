// A slower or remoter store than the one at hand, played below a loader: `dataset.storage`.
#pragma once
#include <cstdint>

#include "harness/core/units.h"

namespace benchbench {

// The harness makes it from dataset.storage and owns it; it outlives the loader, which gets it in
// its context, or nullptr where none is played. A loader asks it for whatever it read of the data
// set, read by read, and bills the wait as the read: to `read`. Its waits go through the runtime;
// in virtual time they are all that real reads cost. Any threads: several that ask at once share
// its link and its connections.
class EmulatedStorage {
 public:
  virtual ~EmulatedStorage() = default;
  // Returns when `bytes` asked for now would have come from the emulated storage. `follows`: they
  // lie right behind the bytes this store was asked for last, so that nothing has to seek.
  virtual void fetch(std::uint64_t bytes, bool follows) = 0;
  // The same of bytes asked for at `asked`: what the real read has taken since then is not waited
  // for again, and where the emulated storage would have been faster than that, it returns at once.
  // Unless overridden, `asked` is ignored.
  virtual void fetch_since(TimePoint asked, std::uint64_t bytes, bool follows) {
    static_cast<void>(asked);
    fetch(bytes, follows);
  }
};

}  // namespace benchbench
