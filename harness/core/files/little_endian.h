// Bytes of files: as text, and as whole numbers with the lowest byte first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace benchbench {

inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The number in at most 8 bytes.
inline std::uint64_t little_endian(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return number;
}
inline std::uint64_t little_endian(std::span<const std::byte> bytes) noexcept {
  return little_endian(as_text(bytes));
}

inline void put_little_endian(std::string& to, std::uint64_t number, int width = 8) {
  for (int i = 0; i < width; ++i) to += static_cast<char>(number >> (8 * i));
}

}  // namespace benchbench
