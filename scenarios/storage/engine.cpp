#include "scenarios/storage/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"

namespace benchbench {

void require_engine(IoEngine engine, const SampleExtents& extents, int (*uring)() noexcept) {
  if (engine == IoEngine::direct) require_direct(extents);
  if (engine != IoEngine::io_uring) return;
  if (const int refused = uring())
    throw DeviceError(
        fmt::format("loader.io: io_uring is not available here: {}", std::strerror(refused)),
        "the kernel, a sysctl (kernel.io_uring_disabled) or a container's seccomp profile forbids "
        "it (Docker's default does); loader.io: pread with the same loader.io_depth is the closest "
        "alternative");
}

std::unique_ptr<ReadEngine> make_engine(IoEngine engine, const SampleExtents& extents,
                                        Runtime& runtime) {
  switch (engine) {
    case IoEngine::mmap:
      return make_mmap_engine(extents);
    case IoEngine::io_uring:
      return make_io_uring_engine(extents, runtime);
    case IoEngine::direct:
      return make_direct_engine(extents, runtime);
    case IoEngine::pread:
      break;
  }
  return make_pread_engine(extents, runtime);
}

std::size_t length_there(const Extent& extent, const ReadFile& file, std::string_view path) {
  std::uint64_t size = file.size();
  if (extent.length != Extent::kToTheEnd && extent.offset + extent.length > size)
    size = file.size_now();
  const std::uint64_t there = size - std::min(extent.offset, size);
  return checked_length(std::min(extent.length, there), path);
}

}  // namespace benchbench
