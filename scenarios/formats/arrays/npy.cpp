// numpy's .npy: a folder with one array a file and one folder a class, or one file with all
// samples, [samples, ...], that is read piece by piece. Of one file X.npy the labels are in
// X.labels.npy beside it (whole numbers, [samples]) or else all 0; names, where we wrote it, in
// X.npy.benchbench-index. Written is one file at a path that ends in .npy, else a folder.
#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "scenarios/formats/arrays/array_folder.h"
#include "scenarios/formats/arrays/array_payload.h"
#include "scenarios/formats/arrays/npy_header.h"
#include "scenarios/formats/arrays/npy_labels.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/placed_writer.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

class NpyFile final : public ArrayFile {
 public:
  std::string_view extension() const noexcept override { return ".npy"; }
  PayloadSpec payload_of(ByteSpan file) const override { return payload_of_npy(file); }
  ByteSpan elements(ByteSpan file, const PayloadSpec& payload, Scratch&) const override {
    return elements_of_npy(file, payload);
  }
  Image image_of(ByteSpan elements, const PayloadSpec& payload,
                 std::vector<std::byte>&) const override {
    return {npy::header_of(payload.dtype, shape_of(payload)), elements, {}};
  }
};
const NpyFile kFile{};

struct Opened {
  ReadFile file;
  npy::Header header;
};

Opened open_array(const std::string& path) {
  Opened opened{ReadFile::open(path.c_str()), {}};
  ReadBuffer buffer;
  const auto head = buffer.room(std::min<std::uint64_t>(opened.file.size(), npy::kMax));
  opened.file.read_at(0, head, path);
  opened.header = npy::parse(head);
  const std::uint64_t bytes = npy::element_bytes(opened.header);
  if (bytes > opened.file.size() - opened.header.size)
    throw PartError(fmt::format("it is truncated: {} bytes of elements instead of {}",
                                opened.file.size() - opened.header.size, bytes));
  return opened;
}

std::string labels_path(const std::string& path) {
  return fs::path(path).replace_extension(".labels.npy");
}

std::vector<std::int64_t> labels_of(const std::string& path, std::uint64_t samples) {
  const std::string beside = labels_path(path);
  if (!fs::exists(beside)) return std::vector<std::int64_t>(samples, 0);
  const Opened found = open_array(beside);
  if (!npy::has_labels(found.header, samples))
    throw PartError(
        fmt::format("'{}' does not hold one whole number for each of {} samples", beside, samples));
  std::vector<std::byte> bytes(samples * size_of(found.header.dtype));
  found.file.read_at(found.header.size, bytes, beside);
  try {
    return npy::labels_in(found.header, bytes);
  } catch (const PartError& error) {
    throw PartError(fmt::format("'{}': {}", beside, error.message()));
  }
}

std::string made_of(const PayloadSpec& payload) {
  return fmt::format("one .npy 1, {}", kind_word(payload));
}

std::unique_ptr<SampleArchive> open_one(const std::string& path) try {
  const Opened array = open_array(path);
  const auto& shape = array.header.shape;
  if (shape.size() < 2) throw PartError("an array of samples needs at least two dimensions");
  if (shape[0] == 0) throw PartError("no samples in it");
  TableArchive::Parts parts{
      .files = {path}, .payload = array_payload(array.header.dtype, std::span(shape).subspan(1))};
  const std::uint64_t bytes = array_bytes(parts.payload);
  const auto labels = labels_of(path, shape[0]);
  if (!fs::exists(labels_path(path))) parts.remark = kNoLabels;
  std::optional<ArchiveIndex> ours;
  for (const DataKind kind : {DataKind::volume, DataKind::image}) {
    PayloadSpec payload = parts.payload;
    payload.data = kind;
    if (ours || !(ours = read_only_index(path + ".benchbench-index", made_of(payload)))) continue;
    if (ours->table.size() != shape[0])
      ours.reset();
    else
      parts.payload = payload;
  }
  for (std::uint64_t i = 0; i < shape[0]; ++i)
    parts.table.add(ours ? std::string(ours->table.name(i)) : fmt::format("sample {}", i),
                    labels[i], array.header.size + i * bytes, bytes);
  return std::make_unique<TableArchive>(std::move(parts));
} catch (const PartError& error) {
  throw ScenarioError(fmt::format("'{}': {}", path, error.message()), error.hint());
}

std::unique_ptr<SampleArchive> open_npy(const std::string& path, const ColumnNames&) {
  std::error_code failed;
  return fs::is_directory(path, failed) ? open_array_folder(path, kFile) : open_one(path);
}

// All samples in one file.
class OneFileWriter final : public PlacedWriter {
 public:
  explicit OneFileWriter(const WriteOrder& order)
      : PlacedWriter(order), payload_(order.payload), samples_(order.samples) {
    std::vector<std::uint64_t> shape = shape_of(payload_);
    shape.insert(shape.begin(), samples_);
    file_ = WriteFile::create(place_.beside());
    file_.write(npy::header_of(payload_.dtype, shape));
  }
  ~OneFileWriter() override {
    std::error_code ignored;
    if (!done_)
      fs::remove(labels_path(place_.path()), ignored),
          fs::remove(place_.path() + ".benchbench-index", ignored);
  }

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    require_array(payload, payload_, name);
    file_.write(payload);
    index_.table.add(name, label, 0, payload.size());
    labels_.push_back(label);
  }
  void finish() override {
    if (added_ != samples_ || added_ == 0)
      throw ScenarioError(
          fmt::format("'{}': {} samples instead of {}", place_.path(), added_, samples_));
    PlacedWriter::finish();
    done_ = true;
  }
  void complete() override {
    file_.close(/*sync=*/true);
    WriteFile labels = WriteFile::create(labels_path(place_.path()));
    labels.write(npy::header_of(DType::int64, {&added_, 1}));
    labels.write(std::as_bytes(std::span(labels_)));
    labels.close(/*sync=*/true);
    index_.made_of = made_of(payload_);
    write_index(place_.path() + ".benchbench-index", index_);
  }

  PayloadSpec payload_;
  std::uint64_t samples_;
  WriteFile file_;
  std::vector<std::int64_t> labels_;
  ArchiveIndex index_;
  bool done_ = false;
};

}  // namespace

namespace parts {

extern const PartDescription sample_format_npy_description{
    .kind = PartKind::sample_format,
    .name = "npy",
    .summary =
        "NumPy's .npy: one array per file in one folder per class, or one file [samples, ...].",
    .stages = kReadAndParseStages,
    .holds = {.pixels = true, .volumes = true},
    .on_disk = {.made_as = "arrays",
                .files = FormatFiles::tree,
                .extensions = {".npy"},
                .signature = npy::kMagic,
                .standard_of = {.volumes = true}},
};

PartMaker sample_format_npy_maker() {
  return {.format = {.opens = open_archive<open_npy>,
                     .create = [](const WriteOrder& order) -> std::unique_ptr<SampleWriter> {
                       if (order.path.ends_with(".npy"))
                         return std::make_unique<OneFileWriter>(order);
                       return create_array_folder(order, kFile);
                     }}};
}

}  // namespace parts
}  // namespace benchbench
