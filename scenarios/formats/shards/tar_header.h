// The headers of a tar file: POSIX ustar, GNU long names and sizes, pax paths and sizes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace benchbench::tar {

inline constexpr std::size_t kBlock = 512;
using Block = std::array<std::byte, kBlock>;

struct Header {
  char type = '0';         // '0' file, '5' folder, 'L' GNU long name, 'x' pax, ...
  std::uint64_t size = 0;  // of the data behind the header
  std::string name;        // with ustar's prefix
  bool regular() const noexcept { return type == '0' || type == '\0' || type == '7'; }
};

// nullopt where the checksum is wrong or a number is none: not a header.
std::optional<Header> parse_header(std::span<const std::byte, kBlock> block);
// A regular file's header with this size, cheaply enough to look at for every sample.
bool header_fits(std::span<const std::byte, kBlock> block, std::uint64_t size) noexcept;
bool is_zero(std::span<const std::byte, kBlock> block) noexcept;
constexpr std::uint64_t padded(std::uint64_t size) noexcept {
  return (size + kBlock - 1) / kBlock * kBlock;
}

// A pax record's value ("path", "size"); nullopt where there is none.
std::optional<std::string> pax_value(std::string_view records, std::string_view key);

// All blocks that come before a regular file's data: one ustar header, with a pax one in front
// where the name does not fit. The same bytes for the same arguments.
std::string make_header(std::string_view name, std::uint64_t size);

}  // namespace benchbench::tar
