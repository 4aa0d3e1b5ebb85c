// WebDataset's layout: tar files ("shards") with KEY.jpg or KEY.png and KEY.cls side by side. One
// .tar file, or a folder of them.
//
// The headers are walked once; where the samples are is then kept in an index (shard_index.h).
#include <fmt/format.h>

#include <filesystem>

#include "harness/core/byte_span.h"
#include "harness/core/error.h"
#include "harness/core/units.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/formats/shards/shard_writer.h"
#include "scenarios/formats/shards/tar_header.h"
#include "scenarios/formats/shards/tar_walk.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersion = "tar 1";  // of an index; see own_stamp()

// A sample's own header lies right before its data: one read takes both, so that a file that
// changed since its index was made cannot hand over other bytes unseen.
class TarArchive final : public TableArchive {
 public:
  using TableArchive::TableArchive;

  Extent extent(SampleId id) const override {
    return {table().shard(id), table().offset(id) - tar::kBlock, table().length(id) + tar::kBlock};
  }
  StoredSample unwrap(SampleId id, ByteSpan stored, Scratch&, const Runtime& runtime,
                      StepNumber step, StageMeter& meter) const override {
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

std::string describe_walk(const tar::Found& found) {
  std::string remark = found.ignored.remark();
  if (found.masks > 0)
    add_remark(remark, fmt::format("{}{} whose key has another image", kPassedOver,
                                   counted(found.masks, "PNG image")));
  if (!found.labelled) add_remark(remark, kNoLabels);
  return remark;
}

ArchiveIndex walk_shards(const std::vector<std::string>& files) {
  tar::Found found = tar::walk(files);
  ArchiveIndex index;
  index.remark = describe_walk(found);
  index.table = std::move(found.table);
  return index;
}

std::unique_ptr<SampleArchive> open_tar(const std::string& path, const ColumnNames&) {
  const FoundShards shards = find_shards(path, is_tar_file, "a .tar file", ".tar files");
  TableArchive::Parts parts = kept_or_walked(
      path, kVersion, shards.files, [&] { return walk_shards(shards.files); }, {}, tar::kBlock);
  add_remark(parts.remark, shards.remark);
  return std::make_unique<TarArchive>(std::move(parts));
}

// At a path that ends in .tar one file, else a folder of shards.
class TarWriter final : public ShardWriter {
 public:
  explicit TarWriter(const WriteOrder& order)
      : ShardWriter(order, kVersion, ".tar", order.path.ends_with(".tar")) {}

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    WriteFile& file = shard();
    file.write(tar::make_header(name, payload.size()));
    add_to_index(name, label, file.size(), payload.size());
    put_data(file, payload);
    const std::string text = std::to_string(label);
    file.write(tar::make_header(class_member(name), text.size()));
    put_data(file, std::as_bytes(std::span(text)));
  }
  void finish() override {
    if (added_ == 0) shard();  // an empty tar file
    ShardWriter::finish();
  }

  void end(WriteFile& file, const std::string&) override { file.write_zeros(2 * tar::kBlock); }

  // KEY.jpg -> KEY.cls
  static std::string class_member(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const bool has_extension = dot != std::string_view::npos && dot > name.rfind('/') + 1;
    return fmt::format("{}.cls", has_extension ? name.substr(0, dot) : name);
  }

  static void put_data(WriteFile& file, ByteSpan bytes) {
    file.write(bytes);
    file.write_zeros(tar::padded(bytes.size()) - bytes.size());
  }
};

}  // namespace

namespace parts {

extern const PartDescription sample_format_tar_description{
    .kind = PartKind::sample_format,
    .name = "tar",
    .summary =
        "WebDataset's tar files: KEY.jpg or KEY.png with its class in KEY.cls; one file or a "
        "folder "
        "of shards.",
    .data = DataKind::image,
    .stages = kReadAndParseStages,
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

PartMaker sample_format_tar_maker() { return format_maker<open_tar, TarWriter>(); }

}  // namespace parts
}  // namespace benchbench
