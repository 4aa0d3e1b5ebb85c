#include "harness/dataset/free_space.h"

#include <cerrno>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "harness/core/error.h"
#include "harness/core/units.h"

namespace benchbench {

constexpr std::uint64_t kReserve = 512ull << 20;
constexpr std::uint64_t kHalfBlock = 2048;

FreeSpace free_space(const std::string& folder) {
  struct statvfs found{};
  if (::statvfs(folder.c_str(), &found) != 0) {
    throw ScenarioError(
        fmt::format("cannot determine the free space of '{}': {}", folder, std::strerror(errno)));
  }
  FreeSpace space;
  space.bytes = static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
  space.files = found.f_files == 0 ? std::numeric_limits<std::uint64_t>::max() : found.f_favail;
  return space;
}

std::uint64_t space_wanted(std::uint64_t payload_bytes, std::uint64_t files) {
  return payload_bytes + payload_bytes / 20 + files * kHalfBlock + kReserve;
}

void require_space(const FreeSpace& space, std::uint64_t payload_bytes, std::uint64_t files,
                   const std::string& what, const std::string& folder) {
  const std::uint64_t wanted = space_wanted(payload_bytes, files);
  const char* hint =
      "free some space, use fewer samples, or set BENCHBENCH_CACHE to a folder on a larger disk";
  if (space.bytes < wanted) {
    throw ScenarioError(fmt::format("not enough space for {}: it needs {} (payloads {}, plus 5 % "
                                    "and 512 MiB), but '{}' has {} free",
                                    what, human_bytes(static_cast<double>(wanted)),
                                    human_bytes(static_cast<double>(payload_bytes)), folder,
                                    human_bytes(static_cast<double>(space.bytes))),
                        hint);
  }
  if (space.files < files) {
    throw ScenarioError(fmt::format("not enough inodes for {}: it needs {} files, but the file "
                                    "system of '{}' can hold {} more",
                                    what, files, folder, space.files),
                        hint);
  }
}

}  // namespace benchbench
