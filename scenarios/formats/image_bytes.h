// The first bytes of encoded images.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "harness/core/byte_span.h"

namespace benchbench {

inline bool begins_with(ByteSpan bytes, std::string_view signature) noexcept {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
      .starts_with(signature);
}
inline bool begins_as_jpeg(ByteSpan bytes) noexcept { return begins_with(bytes, "\xFF\xD8\xFF"); }
inline bool begins_as_png(ByteSpan bytes) noexcept {
  return begins_with(bytes, "\x89PNG\r\n\x1A\n");
}
// The first kImageHead bytes tell.
inline constexpr std::size_t kImageHead = 8;
inline bool begins_as_image(ByteSpan bytes) noexcept {
  return begins_as_jpeg(bytes) || begins_as_png(bytes);
}

}  // namespace benchbench
