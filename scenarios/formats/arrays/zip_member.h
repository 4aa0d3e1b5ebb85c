// One member of a small zip archive held in memory: enough for numpy's .npz.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace benchbench::zip {

struct Member {
  std::string_view name;
  std::span<const std::byte> stored;
  std::uint64_t size = 0;  // of what it holds
  std::uint32_t crc = 0;
  bool deflated = false;  // else as it is
};

// The first member whose name ends in `suffix`. PartError where the archive is none or damaged, has
// none such, or the member is encrypted, packed in another way or larger than 1 GiB.
Member find(std::span<const std::byte> archive, std::string_view suffix);

// Whether the archive that begins like this has a first member with such a name.
bool begins_with(std::span<const std::byte> head, std::string_view suffix) noexcept;

// An archive of one member is head + stored bytes + tail.
struct Frame {
  std::string head, tail;
};
Frame frame_of(const Member& member);

}  // namespace benchbench::zip
