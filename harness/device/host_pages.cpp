#include "harness/device/host_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::size_t page_size() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

std::byte* map_pages(std::size_t bytes, bool touch) {
  const std::size_t page = page_size();
  const bool huge = bytes >= kHugePage;
  const std::size_t length = rounded(bytes ? bytes : 1, page);
  const std::size_t room = huge ? length + kHugePage : length;
  void* mapped = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    const std::string message = "cannot allocate " + std::to_string(bytes) +
                                " bytes for batch slots: " + std::strerror(errno);
    throw PartError(message, "reduce loader.batch_size, prefetch_factor or num_workers");
  }
  auto* const start = static_cast<std::byte*>(mapped);
  std::byte* data = start;
  if (huge) {
    data =
        reinterpret_cast<std::byte*>(rounded(reinterpret_cast<std::uintptr_t>(start), kHugePage));
    if (data != start) munmap(start, static_cast<std::size_t>(data - start));
    const std::size_t behind = static_cast<std::size_t>(start + room - (data + length));
    if (behind) munmap(data + length, behind);
    madvise(data, length, MADV_HUGEPAGE);  // a wish: refused where huge pages are switched off
  }
  for (std::size_t at = 0; touch && at < length; at += page) data[at] = std::byte{0};
  return data;
}

void unmap_pages(std::byte* data, std::size_t bytes) noexcept {
  if (data) munmap(data, rounded(bytes ? bytes : 1, page_size()));
}

}  // namespace benchbench
