#include "scenarios/formats/shard_files.h"

#include <algorithm>

namespace benchbench {

ShardFiles::ShardFiles(const std::vector<std::string>& paths)
    : paths_(paths), slots_(std::clamp<std::size_t>(paths.size(), 1, 32)) {}

const ReadFile& ShardFiles::file(std::uint32_t shard) {
  Slot& slot = slots_[shard % slots_.size()];
  if (!slot.file || slot.shard != shard) {
    slot.file = ReadFile::open(paths_[shard].c_str());
    slot.shard = shard;
  }
  return slot.file;
}

}  // namespace benchbench
