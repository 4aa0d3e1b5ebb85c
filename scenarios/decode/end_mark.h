// Does a JPEG file end as it should?
#pragma once
#include <cstddef>
#include <span>

#include "harness/core/byte_span.h"

namespace benchbench {

// True if an end-of-image mark (FF D9) closes the file, a few trailing bytes aside. False proves
// nothing: some cameras append much more.
inline bool has_end_mark(ByteSpan jpeg) noexcept {
  constexpr std::size_t kLookBack = 64;
  const std::size_t min = jpeg.size() > kLookBack ? jpeg.size() - kLookBack : 0;
  for (std::size_t i = jpeg.size(); i >= min + 2; --i) {
    const std::byte a = jpeg[i - 2];
    const std::byte b = jpeg[i - 1];
    if (a == std::byte{0xFF} && b == std::byte{0xD9}) return true;
  }
  return false;
}

}  // namespace benchbench
