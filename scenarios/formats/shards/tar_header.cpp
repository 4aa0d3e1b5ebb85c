#include "scenarios/formats/shards/tar_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/files/little_endian.h"

namespace benchbench::tar {
namespace {

struct Field {
  std::size_t at, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kChecksum{148, 8}, kMagic{257, 8}, kPrefix{345, 155};
constexpr std::size_t kType = 156;

std::string_view text(std::string_view block, Field field) {
  const std::string_view all = block.substr(field.at, field.size);
  return all.substr(0, all.find('\0'));
}

// Octal digits between spaces and NULs; or, with the first bit set, big-endian binary (GNU, for 8
// GiB and more).
std::optional<std::uint64_t> number(std::string_view block, Field field) {
  std::string_view digits = block.substr(field.at, field.size);
  if (static_cast<unsigned char>(digits[0]) == 0x80) {
    std::uint64_t value = 0;
    for (std::size_t i = 1; i < digits.size(); ++i) {
      if (value >> 48) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(digits[i]);
    }
    return value;
  }
  digits = digits.substr(0, digits.find('\0'));
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c == ' ') continue;
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

// The sum of all bytes with the checksum's own taken as spaces.
std::uint64_t checksum(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kChecksum.at && i < kChecksum.at + kChecksum.size;
    sum += own ? ' ' : static_cast<unsigned char>(block[i]);
  }
  return sum;
}

// The size that a header tells; nullopt where it is none.
std::optional<std::uint64_t> checked_size(std::string_view block) {
  const auto sum = number(block, kChecksum);
  return sum && *sum == checksum(block) ? number(block, kSize) : std::nullopt;
}

void put(std::string& block, Field field, std::string_view value) {
  std::memcpy(block.data() + field.at, value.data(), std::min(field.size, value.size()));
}

std::string one_block(char type, std::string_view name, std::uint64_t size) {
  std::string block(kBlock, '\0');
  put(block, kName, name);
  put(block, kMode, "0000644");
  put(block, kOwner, "0000000");
  put(block, kGroup, "0000000");
  put(block, kSize, fmt::format("{:011o}", size));
  put(block, kTime, "00000000000");  // the same bytes at whatever time they are made
  block[kType] = type;
  put(block, kMagic, std::string_view("ustar\00000", 8));
  put(block, kChecksum, fmt::format("{:06o}", checksum(block)));
  block[kChecksum.at + 7] = ' ';
  return block;
}

std::string pax_record(std::string_view key, std::string_view value) {
  // The length in front counts itself.
  std::size_t length = key.size() + value.size() + 3;
  std::size_t digits = 1;
  while (fmt::formatted_size("{}", length + digits) > digits) ++digits;
  return fmt::format("{} {}={}\n", length + digits, key, value);
}

}  // namespace

std::optional<Header> parse_header(std::span<const std::byte, kBlock> bytes) {
  const std::string_view block = as_text(bytes);
  const auto size = checked_size(block);
  if (!size) return std::nullopt;
  Header header{.type = block[kType], .size = *size, .name = std::string(text(block, kName))};
  // GNU's has no prefix here.
  const bool posix = block.substr(kMagic.at, 6) == std::string_view("ustar\0", 6);
  const std::string_view prefix = posix ? text(block, kPrefix) : std::string_view();
  if (!prefix.empty()) header.name = fmt::format("{}/{}", prefix, header.name);
  return header;
}

bool header_fits(std::span<const std::byte, kBlock> bytes, std::uint64_t size) noexcept {
  return checked_size(as_text(bytes)) == size;
}

bool is_zero(std::span<const std::byte, kBlock> block) noexcept {
  return std::ranges::all_of(block, [](std::byte b) { return b == std::byte{0}; });
}

std::optional<std::string> pax_value(std::string_view records, std::string_view key) {
  std::optional<std::string> found;  // the last one counts
  while (!records.empty()) {
    std::size_t length = 0;
    std::size_t i = 0;
    for (; i < records.size() && i < 10 && records[i] >= '0' && records[i] <= '9'; ++i) {
      length = length * 10 + static_cast<std::size_t>(records[i] - '0');
    }
    if (i >= records.size() || records[i] != ' ' || length < i + 3 || length > records.size())
      return found;
    const std::string_view record = records.substr(i + 1, length - i - 2);
    const std::size_t equals = record.find('=');
    if (equals != std::string_view::npos && record.substr(0, equals) == key)
      found = record.substr(equals + 1);
    records.remove_prefix(length);
  }
  return found;
}

std::string make_header(std::string_view name, std::uint64_t size) {
  std::string blocks;
  if (name.size() > kName.size) {
    const std::string records = pax_record("path", name);
    blocks = one_block('x', "pax_header", records.size()) + records;
    blocks.resize(padded(blocks.size()), '\0');
  }
  return blocks + one_block('0', name.substr(0, kName.size), size);
}

}  // namespace benchbench::tar
