// Which pages of a file lie in memory, by three ways to ask the kernel.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace benchbench {

// Pages of an open file: how many were looked at, and how many of those are in the page cache.
struct PageCount {
  std::uint64_t looked_at = 0;
  std::uint64_t resident = 0;
  double share() const noexcept {
    return looked_at ? static_cast<double>(resident) / static_cast<double>(looked_at) : 0;
  }
  PageCount& operator+=(const PageCount& o) noexcept {
    looked_at += o.looked_at;
    resident += o.resident;
    return *this;
  }
};

// A way to ask. None tells the truth everywhere: mincore says "all" of files that the caller may
// not write (Linux 5.2 and later), cachestat came with 6.5, and preadv2 with RWF_NOWAIT, which many
// file systems refuse, has the kernel read ahead what it finds missing, so that asking changes the
// answer: it looks at few pages, and drops them again.
struct ResidencyMethod {
  std::string_view name;
  bool disturbs;
  // Of the first `bytes` of the file, about `max` pages spread over them, or all. nullopt where the
  // kernel or the file system refuses.
  std::optional<PageCount> (*ask)(int file, std::uint64_t bytes, std::uint64_t max);
};
// The best first.
std::span<const ResidencyMethod> residency_methods() noexcept;

// Writes what is dirty and takes the file's first `bytes` out of the page cache; 0: all of it.
void drop_pages(int file, std::uint64_t bytes = 0) noexcept;

}  // namespace benchbench
