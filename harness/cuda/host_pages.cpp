#include "harness/cuda/host_pages.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace benchbench::cuda {
namespace {

// Of the kernel's interface for memory policies (linux/mempolicy.h); called without libnuma.
constexpr int kPolicyPreferred = 1;
constexpr unsigned long kNodeOfAddress = 1 | 2;  // MPOL_F_NODE | MPOL_F_ADDR
constexpr unsigned kMostNodes = 1024;

int node_of(std::byte* page) noexcept {
  int node = -1;
  if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, page, kNodeOfAddress) != 0) return -1;
  return node;
}

}  // namespace

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
