#include "scenarios/formats/shards/shard_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/core/error.h"
#include "scenarios/formats/ignored_files.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// Raised when the remark that is kept with an index would say something else.
constexpr std::string_view kRemarks = "remarks 2";

std::vector<ShardStamp> stamps_of(const std::vector<std::string>& files) {
  std::vector<ShardStamp> stamps;
  for (const std::string& file : files)
    stamps.push_back({fs::path(file).filename().string(), ReadFile::open(file.c_str()).stamp()});
  return stamps;
}

std::string users_stamp(std::string_view version, const std::vector<ShardStamp>& stamps) {
  std::string text = fmt::format("{}, not ours, {}\n", version, kRemarks);
  for (const ShardStamp& shard : stamps)
    text += fmt::format("{} {} {}\n", shard.name, shard.stamp.size, shard.stamp.modified_ns);
  return text;
}

std::vector<std::uint64_t> list_sizes(const std::vector<ShardStamp>& stamps) {
  std::vector<std::uint64_t> sizes;
  for (const ShardStamp& shard : stamps) sizes.push_back(shard.stamp.size);
  return sizes;
}

// A forged or stale index must not send a reader outside the files.
bool lies_within(const SampleTable& table, const std::vector<std::uint64_t>& sizes,
                 std::uint64_t head) {
  for (SampleId id = 0; id < table.size(); ++id) {
    if (table.shard(id) >= sizes.size() || !is_label(table.label(id))) return false;
    const std::uint64_t size = sizes[table.shard(id)];
    if (table.offset(id) < head || table.offset(id) > size ||
        table.length(id) > size - table.offset(id))
      return false;
  }
  return table.size() > 0;
}

}  // namespace

FoundShards find_shards(const std::string& path, bool (*is_shard)(std::string_view name),
                        std::string_view one, std::string_view several) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return {{path}, {}};
  std::vector<std::string> shards;
  IgnoredFiles ignored;
  auto at = fs::directory_iterator(path, failed);
  for (; !failed && at != fs::end(at); at.increment(failed)) {
    const std::string name = at->path().filename().string();
    std::error_code unseen;  // a link in circles is no shard
    if (is_shard(name) && at->is_regular_file(unseen))
      shards.push_back(at->path());
    else if (name.starts_with('.'))
      continue;
    else if (at->is_directory(unseen))
      ignored.count_kind("folder");
    else if (is_shard(name))
      ignored.count_kind(kNoFile);
    else if (!is_shard(at->path().stem().string()))
      ignored.count(name);
  }
  if (failed)
    throw ScenarioError(fmt::format("cannot read the folder '{}': {}", path, failed.message()));
  if (shards.empty()) throw ScenarioError(fmt::format("no {} in the folder '{}'", several, path));
  std::ranges::sort(shards);
  return {std::move(shards), ignored.remark(one)};
}

std::string own_index_at(const std::string& path, bool single_file) {
  return path + (single_file ? ".benchbench-index" : "/.benchbench-index");
}

std::string own_stamp(std::string_view version, const std::vector<ShardStamp>& shards) {
  std::string text = fmt::format("{}, ours\n", version);
  for (const ShardStamp& shard : shards)
    text += fmt::format("{} {}\n", shard.name, shard.stamp.size);
  return text;
}

void write_own_index(const PendingPlace& place, bool single_file, const ArchiveIndex& index) {
  if (!write_index(own_index_at(single_file ? place.path() : place.beside(), single_file), index))
    throw ScenarioError(fmt::format("cannot write the index of '{}'", place.path()));
}

std::string with_columns(std::string_view version, const ColumnNames& columns) {
  return std::string(version) + (columns.given() ? ", " : "") + columns.text();
}

std::optional<ArchiveIndex> kept_index(const std::string& path, std::string_view version,
                                       const std::vector<std::string>& files) {
  const std::vector<ShardStamp> stamps = stamps_of(files);
  auto kept = read_index(kept_index_path(path), users_stamp(version, stamps));
  return kept && lies_within(kept->table, list_sizes(stamps), 0) ? std::move(kept) : std::nullopt;
}

TableArchive::Parts kept_or_walked(const std::string& path, std::string_view version,
                                   const std::vector<std::string>& files,
                                   const std::function<ArchiveIndex()>& walk,
                                   const std::vector<std::uint64_t>& content, std::uint64_t head) {
  const std::vector<ShardStamp> stamps = stamps_of(files);
  const std::vector<std::uint64_t> sizes = content.empty() ? list_sizes(stamps) : content;
  const auto fits = [&](const std::optional<ArchiveIndex>& index) {
    return index && lies_within(index->table, sizes, head);
  };
  std::error_code ignored;
  auto index =
      read_index(own_index_at(path, !fs::is_directory(path, ignored)), own_stamp(version, stamps));
  const std::string kept_path = kept_index_path(path), stamp = users_stamp(version, stamps);
  if (!fits(index)) index = read_index(kept_path, stamp);
  if (!fits(index)) {
    index = walk();
    index->made_of = stamp;
    index->shards = files;
    if (!kept_path.empty()) write_index(kept_path, *index);
  }
  return {.files = files, .table = std::move(index->table), .remark = std::move(index->remark)};
}

}  // namespace benchbench
