// Is there room for a data set? Asked before anything is written.
#pragma once
#include <cstdint>
#include <string>

namespace benchbench {

struct FreeSpace {
  std::uint64_t bytes = 0;
  // The inodes left; the largest number where the file system does not count them.
  std::uint64_t files = 0;
};
// Of the file system that `folder` lies on; ScenarioError where it cannot be asked.
FreeSpace free_space(const std::string& folder);

// What a making takes: the payloads and 5 %, half a block a file, and 512 MiB that stay free for
// everyone else.
std::uint64_t space_wanted(std::uint64_t payload_bytes, std::uint64_t files);
// ScenarioError with all the numbers where `space` is less than that. `what` names the data set.
void require_space(const FreeSpace& space, std::uint64_t payload_bytes, std::uint64_t files,
                   const std::string& what, const std::string& folder);

}  // namespace benchbench
