// Deflated bytes, by libdeflate: whole pieces of a known size, 2 to 3 times as fast as zlib.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/byte_span.h"

namespace benchbench {

// With zlib's two bytes in front and its sum behind (checked), or nothing around.
enum class Deflated { zlib, raw };
// False where `from` is damaged or does not become exactly as many bytes as `to` has. Any thread.
bool inflate(Deflated how, ByteSpan from, std::span<std::byte> to);
// `level` 1..12.
std::vector<std::byte> deflate(Deflated how, int level, ByteSpan from);
std::uint32_t crc32(ByteSpan bytes) noexcept;  // as zip and gzip have it

}  // namespace benchbench
