// LMDB with one Caffe Datum a sample (data, label, encoded = true): a folder with data.mdb, or such
// a file.
//
// Written: keys as Caffe's convert_imageset makes them, 00000012_NAME, eight digits or as many as
// there are samples; a name too long for a key goes into a field of the Datum's that is ours. Read:
// those, and values that are JPEG or PNG files themselves (LSUN); keys `__keys__` and `__len__` are
// passed over; the order of keys is the order of samples. Where the user names the beginning or end
// of keys, images, labels and names are values by themselves (lmdb_keys.h).
//
// The pages are walked once, which both checks them and finds where values lie: samples are then
// read with pread. The library's way is library_reader(): a copy out of mapped memory, as py-lmdb
// makes it unless it is asked for buffers.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "harness/core/error.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/placed_writer.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/formats/tables/lmdb_datum.h"
#include "scenarios/formats/tables/lmdb_keys.h"
#include "scenarios/formats/tables/lmdb_library.h"
#include "scenarios/formats/tables/lmdb_pages.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersion = "lmdb 1";
constexpr std::size_t kLongestKey = 500;  // liblmdb's limit is 511

bool is_sample_key(std::string_view key) { return key != "__keys__" && key != "__len__"; }

bool is_image_key(std::string_view key, const ColumnNames& columns) {
  return columns.given() ? lmdb::affix_in(columns, key) == columns.image : is_sample_key(key);
}

class LmdbLibraryReader final : public SampleReader {
 public:
  LmdbLibraryReader(const TableArchive& archive, const std::string& path,
                    const ColumnNames& columns, const Runtime& runtime)
      : archive_(archive),
        runtime_(runtime),
        environment_(lmdb::open_to_read(path)),
        view_(environment_.get()),
        keys_(view_.keys()) {
    std::erase_if(keys_, [&](const std::string& key) { return !is_image_key(key, columns); });
    if (keys_.size() != archive.layout().samples)
      throw PartError(fmt::format("'{}' has changed: it now has {} keys", path, keys_.size()));
  }

  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    ByteSpan value;
    {
      StageScope scope(meter, runtime_, step, Stage::read);
      value = view_.value(keys_[id], buffer_);
    }
    meter.bytes_read(value.size());
    const StoredSample sample = archive_.unwrap(id, value, scratch_, runtime_, step, meter);
    meter.payload(id, sample.payload);
    return sample;
  }

 private:
  const TableArchive& archive_;
  const Runtime& runtime_;
  lmdb::Environment environment_;
  lmdb::View view_;
  std::vector<std::string> keys_;
  GrowingScratch scratch_;
  ReadBuffer buffer_;
};

class LmdbArchive final : public TableArchive {
 public:
  LmdbArchive(Parts parts, std::string opened, const ColumnNames& columns)
      : TableArchive(std::move(parts)), opened_(std::move(opened)), columns_(columns) {}

  std::unique_ptr<SampleReader> library_reader(Runtime& runtime) override {
    return std::make_unique<LmdbLibraryReader>(*this, opened_, columns_, runtime);
  }
  StoredSample unwrap(SampleId id, ByteSpan stored, Scratch&, const Runtime& runtime,
                      StepNumber step, StageMeter& meter) const override {
    StageScope scope(meter, runtime, step, Stage::parse);
    try {
      MemoryBytes bytes(stored);
      const lmdb::Datum datum = lmdb::parse_datum(bytes, 0, stored.size());
      return sample(id, stored.subspan(datum.image_begin, datum.image_size));
    } catch (const Malformed& error) {
      throw PartError(fmt::format("'{}' of '{}': {}", table().name(id), path(0), error.what));
    }
  }

 private:
  std::string opened_;
  ColumnNames columns_;
};

// Walks a file of which the user names the keys.
ArchiveIndex walk_named(const std::string& file, const ColumnNames& columns) {
  if (columns.image.empty())
    throw ScenarioError(
        fmt::format(
            "'{}': the keys of labels ('{}') or of names ('{}') are named, and those of the "
            "images are not",
            file, columns.label, columns.name),
        "name them too: dataset.columns: {image: image-, label: label-}");
  FileBytes pages(file), values(file);
  lmdb::NamedKeys keys(columns, values);
  lmdb::walk_pages(pages, [&](std::string_view key, std::uint64_t offset, std::uint64_t size) {
    keys.take(key, offset, size);
  });
  ArchiveIndex found;
  found.table = keys.join(file);
  found.remark = keys.remark();
  return found;
}

ArchiveIndex walk(const std::string& file, const ColumnNames& columns = {}) try {
  if (columns.given()) return walk_named(file, columns);
  ArchiveIndex found;
  std::uint64_t unlabelled = 0;
  FileBytes pages(file), values(file);  // two windows: pages and values take turns
  lmdb::walk_pages(pages, [&](std::string_view key, std::uint64_t offset, std::uint64_t size) {
    if (!is_sample_key(key)) return;
    const lmdb::Datum datum = lmdb::parse_datum(values, offset, offset + size);
    unlabelled += !datum.label;
    found.table.add(datum.name.empty() ? lmdb::name_in_key(key, found.table.size()) : datum.name,
                    datum.label.value_or(0), offset, size);
  });
  if (found.table.size() == 0) throw ScenarioError(fmt::format("no samples in '{}'", file));
  refuse_unsafe_names(found.table, file);
  found.remark = unlabelled_piece(unlabelled, found.table.size());
  return found;
} catch (const Malformed& error) {
  throw ScenarioError(
      fmt::format("'{}', at byte {}: {}", file, error.at, error.what),
      "expected: an LMDB file of Caffe's Datum records with encoded images, or such "
      "images and labels by themselves: dataset.columns: {image: image-, label: "
      "label-}");
}

std::unique_ptr<SampleArchive> open_lmdb(const std::string& path, const ColumnNames& columns) {
  std::error_code failed;
  const bool folder = fs::is_directory(path, failed);
  if (folder && !fs::exists(path + "/data.mdb", failed))
    throw ScenarioError(fmt::format("no data.mdb in the folder '{}'", path));
  const std::string file = folder ? path + "/data.mdb" : path;
  return std::make_unique<LmdbArchive>(kept_or_walked(path, with_columns(kVersion, columns), {file},
                                                      [&] { return walk(file, columns); }),
                                       path, columns);
}

class LmdbWriter final : public PlacedWriter {
 public:
  explicit LmdbWriter(const WriteOrder& order)
      : PlacedWriter(order),
        digits_(std::max<std::size_t>(8, std::to_string(order.samples).size())) {
    make_data_folders(place_.beside());
    writer_.emplace(place_.beside());
  }

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    const bool in_key = name.size() + digits_ + 1 <= kLongestKey;
    const std::string key =
        fmt::format("{:0{}}{}{}", added_, digits_, in_key ? "_" : "", in_key ? name : "");
    const std::string head = lmdb::datum_head(label, in_key ? "" : name, payload.size());
    const std::span<std::byte> room = writer_->add(key, head.size() + payload.size());
    std::memcpy(room.data(), head.data(), head.size());
    if (!payload.empty()) std::memcpy(room.data() + head.size(), payload.data(), payload.size());
  }

  void complete() override {
    writer_->finish();
    const std::string file = place_.beside() + "/data.mdb";
    ArchiveIndex index = walk(file);
    index.shards = {"data.mdb"};
    index.made_of = own_stamp(kVersion, {{"data.mdb", {fs::file_size(file)}}});
    write_own_index(place_, /*single_file=*/false, index);
  }

  std::size_t digits_;
  std::optional<lmdb::Writer> writer_;
};

}  // namespace

namespace parts {

extern const PartDescription sample_format_lmdb_description{
    .kind = PartKind::sample_format,
    .name = "lmdb",
    .summary = "LMDB with one Caffe Datum per sample: a folder with data.mdb, or such a file.",
    .data = DataKind::image,
    .stages = kReadAndParseStages,
    .holds = {.images = true},
    .on_disk = {.extensions = {".mdb", ".lmdb"},
                .begins =
                    [](std::string_view head) {
                      return head.size() >= 20 && head.substr(16, 4) == "\xDE\xC0\xEF\xBE";
                    },
                .folder_marker = "data.mdb",
                .library = true,
                .columns = true},
};

PartMaker sample_format_lmdb_maker() { return format_maker<open_lmdb, LmdbWriter>(); }

}  // namespace parts
}  // namespace benchbench
