// MosaicML streaming's shards: a folder with index.json and shard.00000.mds, ... Plain shards are
// read sample by sample; shards compressed with zstd only whole, and the last one is kept, as
// MosaicML's own reader does it: random access over many of them inflates a shard a sample.
//
// Written: columns image (jpeg, png or bytes), label (int), name (str), in plain shards of 64 MiB.
// Hashes in index.json are not checked.
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/image_bytes.h"
#include "scenarios/formats/placed_writer.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/mds_record.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxIndexBytes = 256ull << 20;

std::string version_of(const std::string& index_json) {
  return fmt::format("mds 1 {}", digest_of(index_json).text());
}

// A shard's file. PartError.
ByteSpan load(const mds::Shard& shard, const std::string& path, ReadBuffer& stored) {
  const ReadFile file = ReadFile::open(path.c_str());
  if (file.size() != shard.stored)
    throw PartError(fmt::format("'{}' has {} bytes instead of the {} that index.json says", path,
                                file.size(), shard.stored));
  const std::span<std::byte> bytes = stored.room(static_cast<std::size_t>(file.size()));
  file.read_at(0, bytes, path);
  return bytes;
}

// Its content, inflated where it is stored compressed. PartError.
ByteSpan content_of(const mds::Shard& shard, const std::string& path, ByteSpan bytes,
                    ReadBuffer& content) {
  if (!shard.zstd) return bytes;
  const unsigned long long told = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (told != ZSTD_CONTENTSIZE_UNKNOWN && told != shard.content)
    throw PartError(fmt::format("'{}' is not a zstd file of {} bytes, as index.json says", path,
                                shard.content));
  const std::span<std::byte> inflated = content.room(static_cast<std::size_t>(shard.content));
  const std::size_t made =
      ZSTD_decompress(inflated.data(), inflated.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(made) || made != inflated.size())
    throw PartError(fmt::format("'{}' cannot be decompressed: {}", path,
                                ZSTD_isError(made) ? ZSTD_getErrorName(made) : "too short"));
  return inflated;
}

class MdsArchive final : public TableArchive {
 public:
  MdsArchive(Parts parts, std::vector<mds::Shard> shards)
      : TableArchive(std::move(parts)),
        shards_(std::move(shards)),
        zstd_(std::ranges::any_of(shards_, &mds::Shard::zstd)) {}

  const SampleExtents* extents() const override { return zstd_ ? nullptr : this; }
  std::unique_ptr<SampleReader> reader(Runtime& runtime) override;

  StoredSample unwrap(SampleId id, ByteSpan stored, Scratch&, const Runtime& runtime,
                      StepNumber step, StageMeter& meter) const override {
    StageScope scope(meter, runtime, step, Stage::parse);
    return record(id, stored);
  }
  // `stored` is all of the sample.
  StoredSample record(SampleId id, ByteSpan stored) const try {
    MemoryBytes bytes(stored);
    const mds::Columns& columns = shards_[table().shard(id)].columns;
    const mds::Record record = mds::parse_record(bytes, 0, stored.size(), columns);
    return sample(id, stored.subspan(record.image_begin, record.image_size));
  } catch (const Malformed& error) {
    refuse(id, error.what);
  }
  const mds::Shard& shard(std::uint32_t number) const { return shards_[number]; }

 private:
  std::vector<mds::Shard> shards_;
  bool zstd_;
};

// Keeps the shard that it inflated last.
class WholeShardReader final : public ReaderOf<MdsArchive> {
 public:
  using ReaderOf::ReaderOf;

  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    const Extent extent = archive_.extent(id);
    if (loaded_ != extent.file) {
      const mds::Shard& shard = archive_.shard(extent.file);
      const std::string path(archive_.path(extent.file));
      loaded_ = kNone;
      StageScope reading(meter, runtime_, step, Stage::read);
      const ByteSpan file = load(shard, path, stored_);
      meter.bytes_read(file.size());
      reading.stop();
      const StageScope inflating(meter, runtime_, step, Stage::parse);
      bytes_ = content_of(shard, path, file, content_);
      loaded_ = extent.file;
    }
    if (extent.offset > bytes_.size() || extent.length > bytes_.size() - extent.offset)
      throw PartError(fmt::format("'{}' has changed: no '{}' in it", archive_.path(extent.file),
                                  archive_.name_of(id)));
    StageScope scope(meter, runtime_, step, Stage::parse);
    const StoredSample sample = archive_.record(id, bytes_.subspan(extent.offset, extent.length));
    meter.payload(id, sample.payload);
    return sample;
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  ReadBuffer stored_, content_;
  ByteSpan bytes_;
  std::uint32_t loaded_ = kNone;
};

std::unique_ptr<SampleReader> MdsArchive::reader(Runtime& runtime) {
  if (zstd_) return std::make_unique<WholeShardReader>(*this, runtime);
  return TableArchive::reader(runtime);
}

ArchiveIndex walk(const std::vector<mds::Shard>& shards, const std::vector<std::string>& files) {
  ArchiveIndex found;
  std::uint64_t unlabelled = 0;
  ReadBuffer stored, content;
  for (std::uint32_t number = 0; number < shards.size(); ++number) try {
      if (shards[number].zstd) {
        MemoryBytes bytes(content_of(shards[number], files[number],
                                     load(shards[number], files[number], stored), content));
        mds::walk_shard(bytes, shards[number], number, found.table);
      } else {
        FileBytes bytes(files[number]);
        mds::walk_shard(bytes, shards[number], number, found.table);
      }
      if (shards[number].columns.label == mds::Columns::kNone) unlabelled += shards[number].samples;
    } catch (const Malformed& error) {
      throw ScenarioError(fmt::format("'{}', at byte {}: {}", files[number], error.at, error.what),
                          "copy or download the shard again");
    }
  found.remark = unlabelled_piece(unlabelled, found.table.size());
  return found;
}

std::unique_ptr<SampleArchive> open_mds(const std::string& folder, const ColumnNames& columns) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder + "/index.json", ignored))
    throw ScenarioError(fmt::format("'{}' is not a folder with an index.json", folder));
  const std::string json = read_small_file(folder + "/index.json", kMaxIndexBytes);
  std::vector<mds::Shard> shards = mds::parse_index(json, folder, columns);
  std::vector<std::string> files;
  std::vector<std::uint64_t> content;
  for (const mds::Shard& shard : shards) {
    files.push_back(fmt::format("{}/{}", folder, shard.file));
    content.push_back(shard.content);
    if (const std::uint64_t there = ReadFile::open(files.back().c_str()).size();
        there != shard.stored)
      throw ScenarioError(fmt::format("'{}' has {} bytes instead of the {} that index.json says",
                                      files.back(), there, shard.stored));
  }
  return std::make_unique<MdsArchive>(kept_or_walked(
                                          folder, with_columns(version_of(json), columns), files,
                                          [&] { return walk(shards, files); }, content),
                                      std::move(shards));
}

class MdsWriter final : public PlacedWriter {
 public:
  explicit MdsWriter(const WriteOrder& order) : PlacedWriter(order) {
    make_data_folders(place_.beside());
  }

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    const std::uint64_t size = 8 + payload.size() + 8 + name.size();
    if (size > (1ull << 31))
      throw ScenarioError(fmt::format("'{}' is too large for an mds shard", name));
    if (!sizes_.empty() && data_.size() + size + 4 * sizes_.size() > mds::kShardBytes) end_shard();
    put_little_endian(data_, payload.size(), 4);
    put_little_endian(data_, name.size(), 4);
    data_.append(as_text(payload));
    put_little_endian(data_, static_cast<std::uint64_t>(label));
    data_.append(name);
    sizes_.push_back(size);
    table_.add(name, label, 0, size, static_cast<std::uint32_t>(shards_.size()));
    all_jpeg_ = all_jpeg_ && begins_as_jpeg(payload);
    all_png_ = all_png_ && begins_as_png(payload);
  }

  void complete() override {
    end_shard();
    const std::string json = mds::index_text(shards_);
    write_file("index.json", {&json});
    write_own(json);
  }

  void end_shard() {
    mds::Shard shard{.file = fmt::format("shard.{:05}.mds", shards_.size()),
                     .samples = sizes_.size(),
                     .columns = {},
                     .image_encoding = all_jpeg_  ? "jpeg"
                                       : all_png_ ? "png"
                                                  : "bytes"};
    const std::string config = mds::shard_config(shard.image_encoding);
    std::string head;
    put_little_endian(head, sizes_.size(), 4);
    std::uint64_t at = 4 * (sizes_.size() + 2) + config.size();
    put_little_endian(head, at, 4);
    for (const std::uint64_t size : sizes_) {
      starts_.push_back(at);
      put_little_endian(head, at += size, 4);
    }
    write_file(shard.file, {&head, &config, &data_});
    shard.content = shard.stored = at;
    shards_.push_back(std::move(shard));
    data_.clear();
    sizes_.clear();
    all_jpeg_ = all_png_ = true;
  }

  void write_file(const std::string& name, std::initializer_list<const std::string*> pieces) {
    WriteFile file = WriteFile::create(fmt::format("{}/{}", place_.beside(), name));
    for (const std::string* piece : pieces) file.write(std::string_view(*piece));
    file.close(/*sync=*/true);
  }

  void write_own(const std::string& json) {
    ArchiveIndex index;
    std::vector<ShardStamp> written;
    for (const mds::Shard& shard : shards_) {
      written.push_back({shard.file, {shard.stored}});
      index.shards.push_back(shard.file);
    }
    index.made_of = own_stamp(version_of(json), written);
    for (SampleId id = 0; id < table_.size(); ++id)
      index.table.add(table_.name(id), table_.label(id), starts_[id], table_.length(id),
                      table_.shard(id));
    write_own_index(place_, /*single_file=*/false, index);
  }

  bool all_jpeg_ = true, all_png_ = true;  // samples of the shard being made
  std::string data_;  // of the shard being made: what stands before it is known last
  std::vector<std::uint64_t> sizes_;   // of its samples
  std::vector<std::uint64_t> starts_;  // of all samples, in their shards
  std::vector<mds::Shard> shards_;
  SampleTable table_;
};

}  // namespace

namespace parts {

extern const PartDescription sample_format_mds_description{
    .kind = PartKind::sample_format,
    .name = "mds",
    .summary =
        "MosaicML Streaming's shards: a folder with index.json; uncompressed, or zstd (read only).",
    .data = DataKind::image,
    .stages = kReadAndParseStages,
    .holds = {.images = true},
    .on_disk = {.made_as = "shards", .folder_marker = "index.json", .columns = true},
};

PartMaker sample_format_mds_maker() { return format_maker<open_mds, MdsWriter>(); }

}  // namespace parts
}  // namespace benchbench
