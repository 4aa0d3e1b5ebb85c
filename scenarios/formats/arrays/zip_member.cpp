#include "scenarios/formats/arrays/zip_member.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"

namespace benchbench::zip {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint32_t kWideEnd = 0x06064b50, kWideLocator = 0x07064b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::size_t kWideEndSize = 56, kWideLocatorSize = 20;
constexpr std::uint64_t kMaxDirectory = 64u << 20;
constexpr std::uint64_t kMax = 1ull << 30;

[[noreturn]] void refuse(std::string_view what) {
  throw PartError(fmt::format("not a readable .npz archive: {}", what));
}

std::uint64_t number(ByteSpan bytes, std::size_t at, std::size_t width) {
  if (at > bytes.size() || width > bytes.size() - at) refuse("it is truncated");
  return little_endian(bytes.subspan(at, width));
}

ByteSpan piece(ByteSpan bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at)
    refuse("it is truncated, or an offset in it is out of bounds");
  return bytes.subspan(at, size);
}

// The record at the end, in front of a comment of at most 64 KiB.
std::size_t end_record(ByteSpan bytes) {
  if (bytes.size() < kEndSize) refuse("it is truncated");
  const std::size_t min = bytes.size() - std::min<std::size_t>(bytes.size(), kEndSize + 0xFFFF);
  for (std::size_t at = bytes.size() - kEndSize + 1; at-- > min;) {
    if (number(bytes, at, 4) == kEnd && at + kEndSize + number(bytes, at + 20, 2) == bytes.size())
      return at;
  }
  refuse("it has no central directory");
}

// Sizes and place that do not fit 32 bits lie in an extra field, those only and in this order.
struct Sizes {
  std::uint64_t size, stored, local;
};
Sizes with_wide(Sizes sizes, ByteSpan extra) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t id = number(extra, at, 2), length = number(extra, at + 2, 2);
    const auto body = piece(extra, at + 4, length);
    at += 4 + length;
    if (id != 1) continue;
    std::size_t inside = 0;
    for (std::uint64_t* value : {&sizes.size, &sizes.stored, &sizes.local}) {
      if (*value != 0xFFFFFFFF) continue;
      *value = number(body, inside, 8);
      inside += 8;
    }
    break;
  }
  return sizes;
}

// An entry of the directory, as it says of itself.
struct Central {
  std::string_view name;
  bool encrypted;
  std::uint64_t method;
  std::uint32_t crc;
  Sizes sizes;  // without the wide ones
  ByteSpan extra;
  std::size_t next;  // where the next one begins

  bool known_method() const noexcept { return method == 0 || method == 8; }
  bool deflated() const noexcept { return method == 8; }
};

Central central_at(ByteSpan directory, std::size_t at) {
  if (number(directory, at, 4) != kCentral) refuse("its directory is damaged");
  const std::uint64_t name = number(directory, at + 28, 2), extra = number(directory, at + 30, 2);
  const std::size_t behind = at + kCentralSize + name;
  return {.name = as_text(piece(directory, at + kCentralSize, name)),
          .encrypted = (number(directory, at + 8, 2) & 1) != 0,
          .method = number(directory, at + 10, 2),
          .crc = static_cast<std::uint32_t>(number(directory, at + 16, 4)),
          .sizes = {number(directory, at + 24, 4), number(directory, at + 20, 4),
                    number(directory, at + 42, 4)},
          .extra = piece(directory, behind, extra),
          .next = behind + extra + number(directory, at + 32, 2)};
}

// Returns the offset of a member's bytes, by its local header.
std::uint64_t data_behind(ByteSpan local, std::uint64_t at) {
  if (number(local, 0, 4) != kLocal) refuse("its directory does not point to a member");
  return at + kLocalSize + number(local, 26, 2) + number(local, 28, 2);
}

Member member_of(ByteSpan archive, const Central& central) {
  if (central.encrypted) refuse("it is encrypted");
  if (!central.known_method())
    refuse(
        fmt::format("its array is compressed with method {}; supported: 0 and 8", central.method));
  const auto [size, stored, local] = with_wide(central.sizes, central.extra);
  if (size > kMax) refuse(fmt::format("its array has {} bytes (limit 1 GiB)", size));
  const std::uint64_t data = data_behind(piece(archive, local, kLocalSize), local);
  Member member{.name = central.name,
                .stored = piece(archive, data, stored),
                .size = size,
                .crc = central.crc,
                .deflated = central.deflated()};
  // Deflate packs at most 1032 bytes into one: no memory for a size that lies.
  if (member.deflated && size > (stored + 1) * 1032)
    refuse(fmt::format("{} bytes cannot deflate to {}", size, stored));
  if (!member.deflated && size != stored) refuse("its array has two different sizes");
  return member;
}

struct Directory {
  std::uint64_t offset = 0, bytes = 0, members = 0;
};

Directory find_directory(LookedBytes& file) {
  const std::uint64_t begin = file.size() - std::min<std::uint64_t>(file.size(), kEndSize + 0xFFFF);
  const auto tail = bytes_at(file, begin, file.size() - begin);
  const std::size_t end = end_record(tail);
  const Directory found{number(tail, end + 16, 4), number(tail, end + 12, 4),
                        number(tail, end + 10, 2)};
  if (found.offset != 0xFFFFFFFF && found.bytes != 0xFFFFFFFF && found.members != 0xFFFF)
    return found;
  if (begin + end < kWideLocatorSize) refuse("it has no central directory");
  const auto locator = bytes_at(file, begin + end - kWideLocatorSize, kWideLocatorSize);
  if (number(locator, 0, 4) != kWideLocator) return found;
  const auto wide = bytes_at(file, number(locator, 8, 8), kWideEndSize);
  if (number(wide, 0, 4) != kWideEnd) refuse("it has no central directory");
  return {number(wide, 48, 8), number(wide, 40, 8), number(wide, 32, 8)};
}

Entry entry_of(LookedBytes& file, const Central& central) {
  const auto [size, stored, local] = with_wide(central.sizes, central.extra);
  Entry entry{.name = std::string(central.name),
              .stored = stored,
              .size = size,
              .crc = central.crc,
              .deflated = central.deflated()};
  if (central.encrypted) refuse(fmt::format("{} is encrypted", entry.name));
  if (!central.known_method())
    refuse(fmt::format("{} is compressed with method {}; supported: 0 and 8", entry.name,
                       central.method));
  const auto header = bytes_at(file, local, kLocalSize);
  entry.offset = data_behind(header, local);
  if (entry.offset > file.size() || stored > file.size() - entry.offset)
    refuse(fmt::format("{} is truncated", entry.name));
  if (!entry.deflated && size != stored)
    refuse(fmt::format("{} has two different sizes", entry.name));
  // Deflate packs at most 1032 bytes into one: no memory for a size that is wrong.
  if (entry.deflated && size / 1032 > stored + 1)
    refuse(fmt::format("{} bytes cannot deflate to {}", size, stored));
  return entry;
}

struct Number {
  std::uint64_t value;
  int width;
};
void put(std::string& to, std::initializer_list<Number> numbers) {
  for (const auto [value, width] : numbers) put_little_endian(to, value, width);
}

// What local header and directory have in common, from the version needed on.
void put_shared(std::string& to, const Member& member) {
  put(to, {{20, 2},
           {0, 2},
           {member.deflated ? 8u : 0u, 2},
           {0, 2},
           {33, 2},  // 1 January 1980: equal data make equal files
           {member.crc, 4},
           {member.stored.size(), 4},
           {member.size, 4},
           {member.name.size(), 2}});
}

}  // namespace

Member find(ByteSpan archive, std::string_view suffix) {
  const std::size_t end = end_record(archive);
  std::uint64_t at = number(archive, end + 16, 4);
  for (std::uint64_t left = number(archive, end + 10, 2); left > 0; --left) {
    const Central central = central_at(archive, at);
    if (central.name.ends_with(suffix)) return member_of(archive, central);
    at = central.next;
  }
  refuse(fmt::format("no {} in it", suffix));
}

std::vector<std::byte> bytes_at(LookedBytes& file, std::uint64_t at, std::uint64_t size) {
  if (at > file.size() || size > file.size() - at)
    refuse("it is truncated, or an offset in it is out of bounds");
  std::vector<std::byte> bytes;
  while (bytes.size() < size) {
    const auto more = file.look(at + bytes.size(), size - bytes.size());
    if (more.empty()) refuse("it is truncated");
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  return bytes;
}

std::vector<Entry> list_members(LookedBytes& file) {
  const Directory found = find_directory(file);
  if (found.bytes > kMaxDirectory)
    refuse(fmt::format("its directory has {} bytes (limit 64 MiB)", found.bytes));
  const auto directory = bytes_at(file, found.offset, found.bytes);
  std::vector<Entry> entries;
  std::size_t at = 0;
  for (std::uint64_t left = found.members; left > 0; --left) {
    const Central central = central_at(directory, at);
    entries.push_back(entry_of(file, central));
    at = central.next;
  }
  return entries;
}

bool begins_with(ByteSpan head, std::string_view suffix) noexcept {
  if (head.size() < kLocalSize || number(head, 0, 4) != kLocal) return false;
  return as_text(head).substr(kLocalSize, number(head, 26, 2)).ends_with(suffix);
}

Frame frame_of(const Member& member) {
  Frame frame;
  put(frame.head, {{kLocal, 4}});
  put_shared(frame.head, member);
  put(frame.head, {{0, 2}});
  frame.head += member.name;
  put(frame.tail, {{kCentral, 4}, {20, 2}});
  put_shared(frame.tail, member);
  // Extra, comment, disk, attributes of two kinds, the member's place.
  put(frame.tail, {{0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 4}, {0, 4}});
  frame.tail += member.name;
  put(frame.tail, {{kEnd, 4},
                   {0, 4},
                   {1, 2},
                   {1, 2},
                   {frame.tail.size(), 4},
                   {frame.head.size() + member.stored.size(), 4},
                   {0, 2}});
  return frame;
}

}  // namespace benchbench::zip
