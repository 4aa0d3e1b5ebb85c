#include "harness/core/allocator.h"

#include <malloc.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace benchbench {
namespace {

std::atomic<bool> kept = false;

}  // namespace

void keep_freed_memory() noexcept {
  constexpr int kNever = -1;
  constexpr int kKept = 1 << 30;
  constexpr int kMostOfOldGlibc = 32 << 20;  // glibc before 2.35 refuses more
  const bool never_trims = mallopt(M_TRIM_THRESHOLD, kNever) == 1;
  const bool maps_late =
      mallopt(M_MMAP_THRESHOLD, kKept) == 1 || mallopt(M_MMAP_THRESHOLD, kMostOfOldGlibc) == 1;
  kept = never_trims && maps_late;
}

void release_freed_memory() noexcept { malloc_trim(0); }

std::string allocator_text() {
  std::array<char, 64> name{};  // "glibc 2.36"
  ::confstr(_CS_GNU_LIBC_VERSION, name.data(), name.size());
  return std::string(name.data()) + (kept ? ", blocks up to 1 GiB kept when freed" : "");
}

}  // namespace benchbench
