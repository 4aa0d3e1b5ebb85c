// WebDataset's layout: tar files ("shards") with KEY.jpg or KEY.png and KEY.cls side by side. One
// .tar file, or a folder of them.
//
// The headers are walked once; where the samples lie is then kept in an index: for files that we
// wrote, beside them; for a user's, in the cache folder, good as long as size and time of change of
// every shard stay the same.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/part/catalog.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/formats/shards/tar_header.h"
#include "scenarios/formats/shards/tar_walk.h"
#include "scenarios/formats/shards/tar_writer.h"
#include "scenarios/formats/table_archive.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// A sample's own header lies right before its data: one read takes both, so that a file that
// changed since its index was made cannot hand over other bytes unseen.
class TarArchive final : public TableArchive {
 public:
  using TableArchive::TableArchive;

  Extent extent(SampleId id) const override {
    return {table().shard(id), table().offset(id) - tar::kBlock, table().length(id) + tar::kBlock};
  }
  StoredSample unwrap(SampleId id, std::span<const std::byte> stored, Scratch&,
                      const Runtime& runtime, StepNumber step, StageMeter& meter) const override {
    StageScope scope(meter, runtime, step, Stage::parse);
    if (stored.size() < tar::kBlock ||
        !tar::header_fits(stored.first<tar::kBlock>(), table().length(id)))
      throw PartError(fmt::format("'{}' has changed: no header of '{}' at byte {}",
                                  path(table().shard(id)), table().name(id),
                                  table().offset(id) - tar::kBlock));
    return sample(id, stored.subspan(tar::kBlock));
  }
};

bool is_tar_file(std::string_view name) { return fs::path(name).extension() == ".tar"; }

// What a user's index is made of. Ours leaves out the time of change, which a copy does not keep.
std::string stamp_of(const std::vector<std::string>& shards, bool ours) {
  std::string stamp = ours ? std::string(tar::kOwnIndex) : "tar 3, not ours\n";
  for (const std::string& shard : shards) {
    const FileStamp found = ReadFile::open(shard.c_str()).stamp();
    stamp += fmt::format("{} {}", fs::path(shard).filename().string(), found.size);
    stamp += ours ? std::string("\n") : fmt::format(" {}\n", found.modified_ns);
  }
  return stamp;
}

// A forged or stale index must not send a reader outside the files.
bool lies_within(const SampleTable& table, const std::vector<std::string>& shards) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& shard : shards) sizes.push_back(ReadFile::open(shard.c_str()).size());
  for (SampleId id = 0; id < table.size(); ++id) {
    if (table.shard(id) >= sizes.size()) return false;
    const std::uint64_t size = sizes[table.shard(id)], offset = table.offset(id);
    if (offset < tar::kBlock || offset > size || table.length(id) > size - offset) return false;
    if (table.label(id) < 0 || table.label(id) > 0x7FFFFFFF) return false;
  }
  return table.size() > 0;
}

std::unique_ptr<SampleArchive> archive_of(FoundShards found, ArchiveIndex index) {
  add_remark(index.remark, found.remark);
  return std::make_unique<TarArchive>(
      TableArchive::Parts{std::move(found.files), std::move(index.table), std::move(index.remark)});
}

std::string describe_walk(const tar::Found& found) {
  std::string remark = found.ignored.remark();
  if (found.masks > 0)
    add_remark(remark, fmt::format("{}{} whose key has another image", kPassedOver,
                                   counted(found.masks, "PNG image")));
  if (!found.labelled) add_remark(remark, kNoLabels);
  return remark;
}

std::unique_ptr<SampleArchive> open_tar(std::string_view path_text, const ColumnNames&) try {
  const std::string path(path_text);
  FoundShards shards = find_shards(path, is_tar_file, "a .tar file", ".tar files");
  if (auto ours = read_index(tar::own_index_path(path), stamp_of(shards.files, true));
      ours && lies_within(ours->table, shards.files)) {
    return archive_of(std::move(shards), std::move(*ours));
  }
  const std::string kept_path = kept_index_path(path);
  const std::string stamp = stamp_of(shards.files, false);
  if (auto kept = read_index(kept_path, stamp); kept && lies_within(kept->table, shards.files))
    return archive_of(std::move(shards), std::move(*kept));
  tar::Found found = tar::walk(shards.files);
  ArchiveIndex index{stamp, describe_walk(found), shards.files, std::move(found.table)};
  if (!kept_path.empty()) write_index(kept_path, index);
  return archive_of(std::move(shards), std::move(index));
} catch (const PartError& error) {
  throw ScenarioError(error.message());
}

}  // namespace

namespace parts {

constexpr Stage kStagesBilledByTar[] = {Stage::read, Stage::parse};

extern const PartDescription sample_format_tar_description{
    .kind = PartKind::sample_format,
    .name = "tar",
    .summary =
        "WebDataset's tar files: KEY.jpg or KEY.png with its class in KEY.cls; one file or a "
        "folder "
        "of shards.",
    .data = DataKind::image,
    .stages = kStagesBilledByTar,
    .holds = {.images = true},
    .on_disk = {.alias = "webdataset",
                .made_as = "shards",  // a folder: of 64 to 256 MiB each
                .files = FormatFiles::shards,
                .extensions = {".tar"},
                .begins =
                    [](std::string_view head) {
                      return head.size() >= 262 && head.substr(257, 5) == "ustar";
                    }},
};

PartMaker sample_format_tar_maker() {
  return {.format = {.opens = open_tar, .create = tar::create}};
}

}  // namespace parts
}  // namespace benchbench
