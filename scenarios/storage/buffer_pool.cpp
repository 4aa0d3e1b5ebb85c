#include "scenarios/storage/buffer_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/error.h"

namespace benchbench {
namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;

// Two sizes to each power of two, 16 KiB the smallest: at most half of a buffer is never touched,
// and what is not touched costs nothing.
std::uint32_t class_of(std::size_t bytes) noexcept {
  constexpr std::size_t kMin = std::size_t{16} << 10;
  if (bytes <= kMin) return 0;
  // 1: up to 32 KiB.
  const auto power = static_cast<std::uint32_t>(std::bit_width((bytes - 1) / kMin));
  const std::size_t half = (kMin << power) / 4 * 3;
  return 2 * power - (bytes <= half ? 1 : 0);
}
std::size_t size_of_class(std::uint32_t c) noexcept {
  const std::size_t whole = (std::size_t{16} << 10) << ((c + 1) / 2);
  return c % 2 ? whole / 4 * 3 : whole;
}

std::byte* map_pages(std::size_t room, std::size_t wanted) {
  void* const mapped =
      ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    throw PartError(
        fmt::format("cannot allocate {} bytes for read buffers: {}", wanted, std::strerror(errno)),
        "reduce loader.io_depth, loader.read_size or prefetch_factor");
  return static_cast<std::byte*>(mapped);
}

// Maps memory at the start of a huge page if one fits: a mapping of that size begins there by
// itself only by chance.
std::byte* map(std::size_t size) {
  if (size < kHuge) return map_pages(size, size);
  std::byte* const start = map_pages(size + kHuge, size);
  const std::size_t skip = (kHuge - reinterpret_cast<std::uintptr_t>(start) % kHuge) % kHuge;
  if (skip) ::munmap(start, skip);
  if (kHuge - skip) ::munmap(start + skip + size, kHuge - skip);
  ::madvise(start + skip, size, MADV_HUGEPAGE);  // a wish
  return start + skip;
}

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : pool_(other.pool_), data_(std::exchange(other.data_, nullptr)), class_(other.class_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(data_, other.data_);
  std::swap(class_, other.class_);
  return *this;
}

Buffer::~Buffer() {
  if (data_) pool_->give_back(data_, class_);
}

BufferPool::~BufferPool() {
  for (std::uint32_t c = 0; c < free_.size(); ++c)
    for (std::byte* const data : free_[c]) ::munmap(data, size_of_class(c));
}

Buffer BufferPool::take(std::size_t bytes) {
  const std::uint32_t c = class_of(bytes + kSlack);
  {
    const Guard guard(lock_);
    if (free_.size() <= c) free_.resize(c + 1);
    if (!free_[c].empty()) {
      std::byte* const data = free_[c].back();
      free_[c].pop_back();
      return {this, data, c};
    }
    // Room for its way back, so that giving back cannot fail.
    free_[c].reserve(++made_);
  }
  return {this, map(size_of_class(c)), c};
}

void BufferPool::give_back(std::byte* data, std::uint32_t size_class) noexcept {
  const Guard guard(lock_);
  free_[size_class].push_back(data);
}

}  // namespace benchbench
