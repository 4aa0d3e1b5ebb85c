#include "scenarios/formats/shards/shard_writer.h"

#include <fmt/format.h>

#include <filesystem>

namespace benchbench {
namespace {

constexpr std::uint64_t kShardBytes = 256ull << 20;

}  // namespace

ShardWriter::ShardWriter(const WriteOrder& order, std::string_view version,
                         std::string_view extension, bool single)
    : PlacedWriter(order), version_(version), extension_(extension), single_(single) {
  if (!single_) make_data_folders(place_.beside());
}

WriteFile& ShardWriter::shard() {
  if (file_ && (single_ || file_->size() < kShardBytes)) return *file_;
  end_shard();
  const std::string name = single_ ? std::filesystem::path(place_.path()).filename().string()
                                   : fmt::format("shard-{:06}{}", shards_.size(), extension_);
  shards_.push_back({name, {}});
  return file_.emplace(WriteFile::create(path_of(name)));
}

std::string ShardWriter::path_of(const std::string& name) const {
  return single_ ? place_.beside() : fmt::format("{}/{}", place_.beside(), name);
}

void ShardWriter::add_to_index(std::string_view name, std::int64_t label, std::uint64_t offset,
                               std::uint64_t length) {
  index_.table.add(name, label, offset, length, static_cast<std::uint32_t>(shards_.size() - 1));
}

void ShardWriter::end_shard() {
  if (!file_) return;
  end(*file_, path_of(shards_.back().name));
  shards_.back().stamp.size = file_->size();
  file_->close(/*sync=*/true);
  file_.reset();
}

void ShardWriter::complete() {
  end_shard();
  index_.made_of = own_stamp(version_, shards_);
  for (const ShardStamp& shard : shards_) index_.shards.push_back(shard.name);
  // The index of a single file is next to it, and in place first; it fits no other file.
  write_own_index(place_, single_, index_);
}

}  // namespace benchbench
