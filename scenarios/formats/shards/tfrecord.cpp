// TFRecord files of tf.train.Example: one file, or a folder of them.
//
// Written: image/class/label (int64), image/filename, image/encoded, in shards of about 256 MiB,
// each with the `.idx` file that DALI wants (a line "offset size" a record). Read: those and the
// other customary names (tfrecord_example.cpp) or the features that the user names, in *.tfrecord,
// *.tfrecords, *.tfrec, and files named as TensorFlow's converters do (train-00000-of-01024).
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/formats/shards/tfrecord_example.h"
#include "scenarios/formats/shards/tfrecord_walk.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/storage/write_file.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVersion = "tfrecord 1";
constexpr std::uint64_t kShardBytes = 256ull << 20;

bool has_record_extension(std::string_view name) {
  return name.ends_with(".tfrecord") || name.ends_with(".tfrecords") || name.ends_with(".tfrec");
}

// "train-00003-of-01024"
bool is_numbered_shard(std::string_view name) {
  constexpr std::string_view kShape = "-00000-of-00000";
  if (name.size() < kShape.size()) return false;
  name.remove_prefix(name.size() - kShape.size());
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    if (kShape[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != kShape[i]) return false;
  }
  return true;
}

bool is_record_file(std::string_view name) {
  return !name.starts_with('.') && (has_record_extension(name) || is_numbered_shard(name));
}

// A sample is read with its whole record, so that both CRCs are checked as TensorFlow's reader
// checks them.
class TfrecordArchive final : public TableArchive {
 public:
  TfrecordArchive(Parts parts, const ColumnNames& columns)
      : TableArchive(std::move(parts)), columns_(columns) {}

  StoredSample unwrap(SampleId id, std::span<const std::byte> stored, Scratch&,
                      const Runtime& runtime, StepNumber step, StageMeter& meter) const override {
    StageScope scope(meter, runtime, step, Stage::parse);
    const std::uint64_t around = tfrecord::kHead + tfrecord::kTail;
    if (stored.size() < around ||
        tfrecord::length_in(stored.first(tfrecord::kHead)) != stored.size() - around)
      complain(id, "the record's length or its CRC is wrong");
    const auto data = stored.subspan(tfrecord::kHead, stored.size() - around);
    if (!tfrecord::tail_fits(stored.last(tfrecord::kTail), crc32c(data)))
      complain(id, "wrong CRC of its data");
    return sample(id, image_in(id, data));
  }

 private:
  std::span<const std::byte> image_in(SampleId id, std::span<const std::byte> data) const try {
    MemoryBytes bytes(data);
    const tfrecord::Example example = tfrecord::parse_image(bytes, 0, data.size(), columns_);
    if (!example.has_image) complain(id, "the record contains no image");
    return data.subspan(example.image_begin, example.image_size);
  } catch (const Malformed& error) {
    complain(id, error.what);
  }
  [[noreturn]] void complain(SampleId id, std::string_view what) const {
    throw PartError(fmt::format("'{}' of '{}', at byte {}: {}", table().name(id),
                                path(table().shard(id)), table().offset(id), what));
  }
  ColumnNames columns_;
};

std::unique_ptr<SampleArchive> open_tfrecord(std::string_view path_text,
                                             const ColumnNames& columns) try {
  const std::string path(path_text);
  FoundShards shards = find_shards(path, is_record_file, "a TFRecord file",
                                   "TFRecord files (*.tfrecord, NAME-00000-of-00001)");
  ArchiveIndex index = kept_or_walked(path, with_columns(kVersion, columns), shards.files,
                                      [&] { return tfrecord::walk(shards.files, columns); });
  add_remark(index.remark, shards.remark);
  return std::make_unique<TfrecordArchive>(
      TableArchive::Parts{std::move(shards.files), std::move(index.table), std::move(index.remark)},
      columns);
} catch (const PartError& error) {
  throw ScenarioError(error.message());
}

// At a path that ends in .tfrecord one file, else a folder of shards.
class TfrecordWriter final : public SampleWriter {
 public:
  explicit TfrecordWriter(std::string_view path)
      : place_(std::string(path)), single_(has_record_extension(path)) {
    if (!single_) make_data_folders(place_.beside());
  }

  void add(std::string_view name, std::int64_t label, std::span<const std::byte> payload) override {
    refuse_unsafe_name(name, place_.path());
    if (!file_ || (!single_ && file_->size() >= kShardBytes)) next_shard();
    const std::string example = tfrecord::example_head(name, label, payload.size());
    const std::uint64_t begin = file_->size();
    const std::uint64_t length = example.size() + payload.size();
    file_->write(tfrecord::head_of(length) + example);
    file_->write(payload);
    file_->write(tfrecord::tail_of(crc32c(payload, crc32c(example))));
    places_ += fmt::format("{} {}\n", begin, file_->size() - begin);
    index_.table.add(name, label, begin, file_->size() - begin,
                     static_cast<std::uint32_t>(shards_.size() - 1));
  }

  void finish() override {
    if (!file_) throw ScenarioError(fmt::format("no samples for '{}'", place_.path()));
    end_shard();
    index_.made_of = own_stamp(kVersion, shards_);
    for (const WrittenShard& shard : shards_) index_.shards.push_back(shard.name);
    // The index of a single file lies beside it, and is in place first; it fits no other file.
    if (!write_index(own_index_at(single_ ? place_.path() : place_.beside(), single_), index_))
      throw ScenarioError(fmt::format("cannot write the index of '{}'", place_.path()));
    place_.place();
  }

 private:
  void next_shard() {
    end_shard();
    const std::string name = single_ ? fs::path(place_.path()).filename().string()
                                     : fmt::format("shard-{:06}.tfrecord", shards_.size());
    file_ =
        WriteFile::create(single_ ? place_.beside() : fmt::format("{}/{}", place_.beside(), name));
    shards_.push_back({name, 0});
  }

  void end_shard() {
    if (!file_) return;
    shards_.back().size = file_->size();
    file_->close(/*sync=*/true);
    file_.reset();
    if (!single_) {
      WriteFile places =
          WriteFile::create(fmt::format("{}/{}.idx", place_.beside(), shards_.back().name));
      places.write(places_);
      places.close(/*sync=*/true);
    }
    places_.clear();
  }

  PendingPlace place_;
  bool single_;
  std::optional<WriteFile> file_;
  std::vector<WrittenShard> shards_;
  std::string places_;  // DALI's index of the shard
  ArchiveIndex index_;
};

std::unique_ptr<SampleWriter> create_tfrecord(const WriteOrder& order) {
  return std::make_unique<TfrecordWriter>(order.path);
}

}  // namespace

namespace parts {

constexpr Stage kStagesBilledByTfrecord[] = {Stage::read, Stage::parse};

extern const PartDescription sample_format_tfrecord_description{
    .kind = PartKind::sample_format,
    .name = "tfrecord",
    .summary = "TensorFlow's TFRecord files of tf.train.Example; one file or a folder of shards.",
    .data = DataKind::image,
    .stages = kStagesBilledByTfrecord,
    .holds = {.images = true},
    .on_disk = {.made_as = "shards",
                .files = FormatFiles::shards,
                .extensions = {".tfrecord", ".tfrec", ".tfrecords"},
                .begins =
                    [](std::string_view head) {
                      return tfrecord::length_in(std::as_bytes(std::span(head))).has_value();
                    },
                .check_sums = true,
                .columns = true},
};

PartMaker sample_format_tfrecord_maker() {
  return {.format = {.opens = open_tfrecord, .create = create_tfrecord}};
}

}  // namespace parts
}  // namespace benchbench
