// The files of an archive that has several, opened as they are needed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/storage/read_file.h"

namespace benchbench {

// One reader's open files: at most 32, so that many readers of many shards stay below the limit of open
// files. One thread. `paths` must outlive it.
class ShardFiles {
 public:
  explicit ShardFiles(const std::vector<std::string>& paths);
  // Opens it unless it is open. PartError where it cannot be.
  const ReadFile& file(std::uint32_t shard);
  const std::string& path(std::uint32_t shard) const noexcept { return paths_[shard]; }

 private:
  struct Slot {
    ReadFile file;
    std::uint32_t shard = 0;
  };
  const std::vector<std::string>& paths_;
  std::vector<Slot> slots_;
};

}  // namespace benchbench
