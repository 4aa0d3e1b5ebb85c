// The two ways to compute a CRC32C, apart: crc32c() in digest.h takes the one this CPU can do.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace benchbench {

// Eight table look-ups for eight bytes, on any CPU.
std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t seed = 0) noexcept;
// By the SSE 4.2 instruction. Only where crc32c_has_instruction().
std::uint32_t crc32c_by_instruction(std::span<const std::byte> bytes,
                                    std::uint32_t seed = 0) noexcept;
bool crc32c_has_instruction() noexcept;

}  // namespace benchbench
