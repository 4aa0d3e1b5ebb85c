// Writing shards one after the other: what tar and tfrecord have in common.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "scenarios/formats/placed_writer.h"
#include "scenarios/formats/shards/shard_index.h"

namespace benchbench {

// A folder of shards of about 256 MiB, or a single file at the path itself; and their index.
class ShardWriter : public PlacedWriter {
 protected:
  // `version` is that of the index; see own_stamp(). `extension` is a shard's.
  ShardWriter(const WriteOrder& order, std::string_view version, std::string_view extension,
              bool single);
  // Returns the shard that the next sample goes to.
  WriteFile& shard();
  void add_to_index(std::string_view name, std::int64_t label, std::uint64_t offset,
                    std::uint64_t length);
  // Called when a shard has all its samples. `path` is where its name will be.
  virtual void end(WriteFile& file, const std::string& path) = 0;

  bool single() const noexcept { return single_; }

 private:
  bool is_empty() const noexcept final { return !file_; }
  void complete() final;
  void end_shard();
  std::string path_of(const std::string& name) const;

  std::string version_, extension_;
  bool single_;
  std::optional<WriteFile> file_;
  std::vector<ShardStamp> shards_;
  ArchiveIndex index_;
};

}  // namespace benchbench
