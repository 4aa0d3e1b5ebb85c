#include "harness/dataset/residency.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace benchbench {
namespace {

std::uint64_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::uint64_t pages_of(std::uint64_t bytes) noexcept {
  return (bytes + page_bytes() - 1) / page_bytes();
}

// Headers older than the kernel do not know it yet.
constexpr long kCachestat = 451;
struct CacheRange {
  std::uint64_t offset, length;  // length 0: to the end
};
struct CacheStat {
  std::uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

std::optional<PageCount> ask_cachestat(int file, std::uint64_t bytes, std::uint64_t) {
  CacheRange range{0, bytes};
  CacheStat found{};
  if (::syscall(kCachestat, file, &range, &found, 0) != 0) return std::nullopt;
  const std::uint64_t pages = pages_of(bytes);
  return PageCount{pages, std::min(pages, found.cached)};
}

// False where the kernel or the file system refuses.
bool count_mapped(int file, std::uint64_t at, std::uint64_t length, PageCount& count) {
  void* mapped = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file, static_cast<off_t>(at));
  if (mapped == MAP_FAILED) return false;
  std::vector<unsigned char> resident(pages_of(length));
  const bool known = ::mincore(mapped, length, resident.data()) == 0;
  ::munmap(mapped, length);
  if (!known) return false;
  count.looked_at += resident.size();
  for (const unsigned char page : resident) count.resident += page & 1;
  return true;
}

// In pieces: the answer takes a byte a page, and a shard may be as large as the disk.
std::optional<PageCount> ask_mincore(int file, std::uint64_t bytes, std::uint64_t max) {
  const bool all = pages_of(bytes) <= max;
  const std::uint64_t piece = std::uint64_t{1} << (all ? 30 : 20);
  const std::uint64_t pieces = std::max<std::uint64_t>(1, max * page_bytes() / piece);
  const std::uint64_t step = all ? piece : std::max(piece, bytes / pieces / piece * piece);
  PageCount count;
  for (std::uint64_t at = 0; at < bytes; at += step)
    if (!count_mapped(file, at, std::min(piece, bytes - at), count)) return std::nullopt;
  return count;
}

bool count_at(int file, off_t offset, PageCount& count) {
  char byte;
  iovec into{&byte, 1};
  const ssize_t got = ::preadv2(file, &into, 1, offset, RWF_NOWAIT);
  if (got < 0 && errno != EAGAIN) return false;
  ++count.looked_at;
  count.resident += got > 0;
  if (got <= 0)
    ::posix_fadvise(file, offset, static_cast<off_t>(page_bytes()), POSIX_FADV_DONTNEED);
  return true;
}

std::optional<PageCount> ask_preadv2(int file, std::uint64_t bytes, std::uint64_t max) {
  const std::uint64_t pages = pages_of(bytes);
  const std::uint64_t probes = std::min(pages, std::max<std::uint64_t>(1, max));
  PageCount count;
  for (std::uint64_t i = 0; i < probes; ++i)
    if (!count_at(file, static_cast<off_t>(i * pages / probes * page_bytes()), count))
      return std::nullopt;
  return count;
}

constexpr ResidencyMethod kMethods[] = {
    {"mincore", false, ask_mincore},
    {"cachestat", false, ask_cachestat},
    {"preadv2", true, ask_preadv2},
};

}  // namespace

std::span<const ResidencyMethod> residency_methods() noexcept { return kMethods; }

void drop_pages(int file, std::uint64_t bytes) noexcept {
  ::fdatasync(file);
  ::posix_fadvise(file, 0, static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
}

}  // namespace benchbench
