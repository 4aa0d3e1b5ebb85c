// TFRecord files of tf.train.Example: one file, or a folder of them.
//
// Written: image/class/label (int64), image/filename, image/encoded, in shards of about 256 MiB,
// each with the `.idx` file that DALI wants (a line "offset size" a record). Read: those and the
// other customary names (tfrecord_example.cpp) or the features that the user names, in *.tfrecord,
// *.tfrecords, *.tfrec, and files named as TensorFlow's converters do (train-00000-of-01024).
#include <fmt/format.h>

#include "harness/core/digest.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/formats/shards/shard_writer.h"
#include "scenarios/formats/shards/tfrecord_example.h"
#include "scenarios/formats/shards/tfrecord_walk.h"

namespace benchbench {
namespace {

constexpr std::string_view kVersion = "tfrecord 1";

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

  StoredSample unwrap(SampleId id, ByteSpan stored, Scratch&, const Runtime& runtime,
                      StepNumber step, StageMeter& meter) const override {
    StageScope scope(meter, runtime, step, Stage::parse);
    const std::uint64_t around = tfrecord::kHead + tfrecord::kTail;
    if (stored.size() < around ||
        tfrecord::length_in(stored.first(tfrecord::kHead)) != stored.size() - around)
      refuse(id, "the record's length or its CRC is wrong");
    const auto data = stored.subspan(tfrecord::kHead, stored.size() - around);
    if (!tfrecord::tail_fits(stored.last(tfrecord::kTail), crc32c(data)))
      refuse(id, "wrong CRC of its data");
    return sample(id, image_in(id, data));
  }

 private:
  ByteSpan image_in(SampleId id, ByteSpan data) const try {
    MemoryBytes bytes(data);
    const tfrecord::Example example = tfrecord::parse_example(bytes, 0, data.size(), columns_,
                                                              /*image_only=*/true);
    if (!example.has_image) refuse(id, "the record contains no image");
    return data.subspan(example.image_begin, example.image_size);
  } catch (const Malformed& error) {
    refuse(id, error.what);
  }
  ColumnNames columns_;
};

std::unique_ptr<SampleArchive> open_tfrecord(const std::string& path, const ColumnNames& columns) {
  const FoundShards shards = find_shards(path, is_record_file, "a TFRecord file",
                                         "TFRecord files (*.tfrecord, NAME-00000-of-00001)");
  TableArchive::Parts parts = kept_or_walked(path, with_columns(kVersion, columns), shards.files,
                                             [&] { return tfrecord::walk(shards.files, columns); });
  add_remark(parts.remark, shards.remark);
  return std::make_unique<TfrecordArchive>(std::move(parts), columns);
}

// At a path that ends in .tfrecord one file, else a folder of shards.
class TfrecordWriter final : public ShardWriter {
 public:
  explicit TfrecordWriter(const WriteOrder& order)
      : ShardWriter(order, kVersion, ".tfrecord", has_record_extension(order.path)) {}

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    WriteFile& file = shard();
    const std::string example = tfrecord::example_head(name, label, payload.size());
    const std::uint64_t begin = file.size();
    file.write(tfrecord::head_of(example.size() + payload.size()) + example);
    file.write(payload);
    file.write(tfrecord::tail_of(crc32c(payload, crc32c(example))));
    places_ += fmt::format("{} {}\n", begin, file.size() - begin);
    add_to_index(name, label, begin, file.size() - begin);
  }

  void end(WriteFile&, const std::string& path) override {
    if (!single()) {
      WriteFile places = WriteFile::create(path + ".idx");
      places.write(places_);
      places.close(/*sync=*/true);
    }
    places_.clear();
  }

  std::string places_;  // DALI's index of the shard
};

}  // namespace

namespace parts {

extern const PartDescription sample_format_tfrecord_description{
    .kind = PartKind::sample_format,
    .name = "tfrecord",
    .summary = "TensorFlow's TFRecord files of tf.train.Example; one file or a folder of shards.",
    .data = DataKind::image,
    .stages = kReadAndParseStages,
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

PartMaker sample_format_tfrecord_maker() { return format_maker<open_tfrecord, TfrecordWriter>(); }

}  // namespace parts
}  // namespace benchbench
