#include "harness/core/host_pages.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded(std::size_t bytes, std::size_t to) noexcept {
  return (bytes + to - 1) / to * to;
}

// Gives back what the mapping has before and behind its aligned part.
std::byte* trimmed(std::byte* start, std::size_t room, std::size_t length) noexcept {
  auto* const data =
      reinterpret_cast<std::byte*>(rounded(reinterpret_cast<std::uintptr_t>(start), kHugePage));
  if (data != start) munmap(start, static_cast<std::size_t>(data - start));
  const auto behind = static_cast<std::size_t>(start + room - (data + length));
  if (behind) munmap(data + length, behind);
  madvise(data, length, MADV_HUGEPAGE);  // a wish: refused where huge pages are switched off
  return data;
}

}  // namespace

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t whole_pages(std::size_t bytes) noexcept {
  return rounded(bytes ? bytes : 1, page_size());
}

std::byte* map_pages(std::size_t bytes, bool touch) {
  const std::size_t length = whole_pages(bytes);
  const bool huge = bytes >= kHugePage;
  const std::size_t room = huge ? length + kHugePage : length;
  // Such a length would wrap around; no machine has it.
  void* const mapped = bytes > SIZE_MAX / 2 ? (errno = ENOMEM, MAP_FAILED)
                                            : mmap(nullptr, room, PROT_READ | PROT_WRITE,
                                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    throw PartError(
        fmt::format("cannot allocate {} bytes for batch slots: {}", bytes, std::strerror(errno)),
        "reduce loader.batch_size, prefetch_factor or num_workers");
  auto* const start = static_cast<std::byte*>(mapped);
  std::byte* const data = huge ? trimmed(start, room, length) : start;
  if (touch) touch_pages(data, bytes);
  return data;
}

void unmap_pages(std::byte* data, std::size_t bytes) noexcept {
  if (data) munmap(data, whole_pages(bytes));
}

void touch_pages(std::byte* data, std::size_t bytes) noexcept {
  const std::size_t length = whole_pages(bytes);
  for (std::size_t at = 0; at < length; at += page_size())
    *const_cast<volatile std::byte*>(data + at) = std::byte{0};
}

}  // namespace benchbench
