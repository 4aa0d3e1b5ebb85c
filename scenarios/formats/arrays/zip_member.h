// Members of zip archives, as far as numpy's .npz needs them: one of a small archive in memory, or
// where each of a large one is in its file.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/byte_span.h"
#include "scenarios/formats/looked_bytes.h"

namespace benchbench::zip {

struct Member {
  std::string_view name;
  ByteSpan stored;
  std::uint64_t size = 0;  // of what it holds
  std::uint32_t crc = 0;
  bool deflated = false;  // else as it is
};

// The first member whose name ends in `suffix`. PartError where the archive is none or damaged, has
// none such, or the member is encrypted, packed in another way or larger than 1 GiB.
Member find(ByteSpan archive, std::string_view suffix);

// A member by its place in the file.
struct Entry {
  std::string name;
  std::uint64_t offset = 0, stored = 0;  // of its bytes in the file
  std::uint64_t size = 0;                // of what it holds
  std::uint32_t crc = 0;
  bool deflated = false;
};
// All members, by the directory at the file's end, with wide numbers (zip64) where it has these.
// PartError where it is none or damaged, or a member is encrypted or packed in another way.
std::vector<Entry> list_members(LookedBytes& file);
// `size` bytes from `at` on. PartError where there are fewer.
std::vector<std::byte> bytes_at(LookedBytes& file, std::uint64_t at, std::uint64_t size);

// Whether the archive that begins like this has a first member with such a name.
bool begins_with(ByteSpan head, std::string_view suffix) noexcept;

// An archive of one member is head + stored bytes + tail.
struct Frame {
  std::string head, tail;
};
Frame frame_of(const Member& member);

}  // namespace benchbench::zip
