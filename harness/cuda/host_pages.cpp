#include "harness/cuda/host_pages.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "harness/core/error.h"
#include "harness/core/units.h"

namespace benchbench::cuda {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Of the kernel's interface for memory policies (linux/mempolicy.h); called without libnuma.
constexpr int kPolicyPreferred = 1;
constexpr unsigned long kNodeOfAddress = 1 | 2;  // MPOL_F_NODE | MPOL_F_ADDR
constexpr unsigned kMostNodes = 1024;

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t rounded(std::size_t bytes, std::size_t to) noexcept {
  return (bytes + to - 1) / to * to;
}

// What of the mapping lies before and behind the aligned part goes back.
std::byte* trimmed(std::byte* start, std::size_t room, std::size_t length) noexcept {
  auto* const data =
      reinterpret_cast<std::byte*>(rounded(reinterpret_cast<std::uintptr_t>(start), kHugePage));
  if (data != start) munmap(start, static_cast<std::size_t>(data - start));
  const auto behind = static_cast<std::size_t>(start + room - (data + length));
  if (behind) munmap(data + length, behind);
  madvise(data, length, MADV_HUGEPAGE);  // a wish: refused where huge pages are switched off
  return data;
}

int node_of(std::byte* page) noexcept {
  int node = -1;
  if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, page, kNodeOfAddress) != 0) return -1;
  return node;
}

}  // namespace

std::size_t whole_pages(std::size_t bytes) noexcept {
  return rounded(bytes ? bytes : 1, page_size());
}

std::byte* map_pages(std::size_t bytes) {
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
  return huge ? trimmed(start, room, length) : start;
}

void unmap_pages(std::byte* data, std::size_t bytes) noexcept {
  if (data) munmap(data, whole_pages(bytes));
}

// A fork would have the kernel copy pages that the device reads, one of the two processes getting
// the copy.
void keep_from_forks(std::byte* data, std::size_t bytes) noexcept {
  madvise(data, whole_pages(bytes), MADV_DONTFORK);
}

// Preferred, not bound: where the node is full, a bound page would be the end of the process.
std::string prefer_node(std::byte* data, std::size_t bytes, int node) {
  if (node < 0 || static_cast<unsigned>(node) >= kMostNodes)
    return fmt::format("node {} is not one that can be asked for", node);
  constexpr unsigned kBits = 8 * sizeof(unsigned long);
  unsigned long mask[kMostNodes / kBits] = {};
  mask[static_cast<unsigned>(node) / kBits] = 1UL << (static_cast<unsigned>(node) % kBits);
  // The kernel counts the bits with one too many.
  if (syscall(SYS_mbind, data, whole_pages(bytes), kPolicyPreferred, mask,
              static_cast<unsigned long>(kMostNodes + 1), 0U) == 0)
    return {};
  return fmt::format("the kernel refuses memory on node {}: {}", node, std::strerror(errno));
}

void touch_pages(std::byte* data, std::size_t bytes) noexcept {
  const std::size_t length = whole_pages(bytes);
  for (std::size_t at = 0; at < length; at += page_size())
    *const_cast<volatile std::byte*>(data + at) = std::byte{0};
}

std::string node_complaint(std::byte* data, std::size_t bytes, int node) {
  const std::size_t length = whole_pages(bytes), page = page_size();
  for (const std::size_t at : {std::size_t{0}, length / 2 / page * page, length - page}) {
    const int found = node_of(data + at);
    if (found >= 0 && found != node)
      return fmt::format("memory for node {} was given on node {}: it has too little left", node,
                         found);
  }
  return {};
}

}  // namespace benchbench::cuda
