// Encoded images in one HDF5 file:
//   /payload  uint8 [bytes]      all stored files, end to end, in one uncompressed piece
//   /offsets  uint64 [samples+1] sample i is payload[offsets[i] .. offsets[i+1])
//   /labels   int64 [samples]
//   /names    text [samples]     may be missing
// Samples are read with pread at the payload's place in the file: the library holds one lock for all threads,
// and costs 2x (large) to 5x (small samples) even for one.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/hdf5/file.h"
#include "harness/part/catalog.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/storage/read_file.h"
#include "scenarios/storage/write_file.h"

namespace benchbench {
namespace {

constexpr const char* kPayload = "/payload";
constexpr const char* kOffsets = "/offsets";
constexpr const char* kLabels = "/labels";
constexpr const char* kNames = "/names";

[[noreturn]] void refuse(const std::string& path, std::string_view what) {
  throw ScenarioError(
      fmt::format("'{}': {}", path, what),
      "wanted: /payload (uint8, one uncompressed piece), /offsets (uint64, samples + 1), /labels (int64)");
}

template <class T>
std::vector<T> column(const hdf5::File& file, const char* name) {
  const hdf5::Dataset data = file.dataset(name);
  data.require_plain();
  if (data.extents().size() != 1) refuse(file.path(), fmt::format("{} must have one dimension", name));
  return data.read_all<T>();
}

std::vector<std::string> names_in(const hdf5::File& file, std::size_t samples) {
  if (!file.has(kNames)) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < samples; ++i) names.push_back(fmt::format("sample {}", i));
    return names;
  }
  const hdf5::Dataset data = file.dataset(kNames);
  data.require_plain();
  return data.read_text();
}

struct Payload {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t size = 0;
};

Payload payload_of(const hdf5::File& file) {
  const hdf5::Dataset data = file.dataset(kPayload);
  data.require_plain();
  if (data.element() != hdf5::Element::uint8 || data.extents().size() != 1) {
    refuse(file.path(), "/payload must be uint8 with one dimension");
  }
  const auto offset = data.contiguous_offset();
  if (!offset)
    refuse(file.path(),
           "/payload is stored in chunks or inside its header: it must be one uncompressed piece");
  return {*offset, data.rows()};
}

SampleTable table_of(const hdf5::File& file) {
  const Payload payload = payload_of(file);
  const auto offsets = column<std::uint64_t>(file, kOffsets);
  const auto labels = column<std::int64_t>(file, kLabels);
  const auto names = names_in(file, labels.size());
  if (labels.empty()) refuse(file.path(), "no images in it: /labels is empty");
  if (offsets.size() != labels.size() + 1 || names.size() != labels.size()) {
    refuse(file.path(), fmt::format("{} offsets, {} labels and {} names do not fit together", offsets.size(),
                                    labels.size(), names.size()));
  }
  if (!std::ranges::is_sorted(offsets) || offsets.back() > payload.size) {
    refuse(file.path(),
           fmt::format("/offsets must rise and stay within the payload's {} bytes", payload.size));
  }
  SampleTable table;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] > 0x7FFFFFFF)
      refuse(file.path(), fmt::format("label {} of sample {}", labels[i], i));
    table.add(names[i], labels[i], payload.offset + offsets[i], offsets[i + 1] - offsets[i]);
  }
  return table;
}

std::unique_ptr<SampleArchive> open_hdf5(std::string_view path_text) try {
  const std::string path(path_text);
  const hdf5::File file = hdf5::File::open_readonly(path, ErrorKind::scenario);
  SampleTable table = table_of(file);
  return std::make_unique<TableArchive>(TableArchive::Parts{{path}, std::move(table)});
} catch (const Error& error) {
  throw ScenarioError(error.message(), error.hint());
}

// HDF5 must know the payload's size before it has a place in the file. So the bytes go to a file without a
// name first, which gives its blocks back piece by piece while they are copied.
class PayloadFile {
 public:
  explicit PayloadFile(const std::string& path)
      : written_(WriteFile::create(path)), read_(ReadFile::open(path.c_str())) {
    ::unlink(path.c_str());
  }
  std::uint64_t size() const noexcept { return written_.size(); }
  void add(std::span<const std::byte> bytes) { written_.write(bytes); }
  void move_to(hdf5::Dataset& data) {
    constexpr std::uint64_t kPiece = 8 << 20;
    ReadBuffer buffer;
    for (std::uint64_t at = 0; at < size(); at += kPiece) {
      const std::span<std::byte> piece = buffer.room(std::min(kPiece, size() - at));
      read_.read_at(at, piece, "the payload");
      data.write(at, std::span<const std::byte>(piece));
      ::fallocate(
          written_.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at),
          static_cast<off_t>(piece.size()));  // where it cannot, twice the space is needed for a while
    }
  }

 private:
  WriteFile written_;
  ReadFile read_;
};

class Hdf5Writer final : public SampleWriter {
 public:
  explicit Hdf5Writer(std::string_view path)
      : place_(std::string(path)), payload_(place_.beside() + ".payload") {}

  void add(std::string_view name, std::int64_t label, std::span<const std::byte> payload) override {
    refuse_unsafe_name(name, place_.path());
    payload_.add(payload);
    offsets_.push_back(payload_.size());
    labels_.push_back(label);
    names_.emplace_back(name);
  }

  void finish() override {
    if (labels_.empty() || payload_.size() == 0)
      throw ScenarioError(fmt::format("no samples for '{}'", place_.path()));
    hdf5::File file = hdf5::File::create(place_.beside(), ErrorKind::scenario);
    file.set_attribute("format", "benchbench encoded images 1");
    write_columns(file);
    {
      hdf5::Dataset data = file.create_contiguous(kPayload, hdf5::Element::uint8, {payload_.size()});
      payload_.move_to(data);
    }
    file.close();
    sync_file_system(std::filesystem::absolute(place_.path()).parent_path());
    place_.place();
  }

 private:
  void write_columns(hdf5::File& file) {
    std::size_t longest = 1;
    for (const std::string& name : names_) longest = std::max(longest, name.size());
    file.write(kOffsets, std::span<const std::uint64_t>(offsets_)).set_attribute("unit", "bytes");
    file.write(kLabels, std::span<const std::int64_t>(labels_));
    file.write_text(kNames, names_, longest);
  }

  PendingPlace place_;
  PayloadFile payload_;
  std::vector<std::uint64_t> offsets_{0};
  std::vector<std::int64_t> labels_;
  std::vector<std::string> names_;
};

std::unique_ptr<SampleWriter> create_hdf5(const WriteOrder& order) {
  return std::make_unique<Hdf5Writer>(order.path);
}

}  // namespace

namespace parts {

constexpr Stage kStagesBilledByHdf5[] = {Stage::read};

extern const PartDescription sample_format_hdf5_description{
    .kind = PartKind::sample_format,
    .name = "hdf5",
    .summary = "One HDF5 file with all encoded images end to end, read past the library's lock.",
    .data = DataKind::image,
    .stages = kStagesBilledByHdf5,
    .holds = {.images = true},
};

PartMaker sample_format_hdf5_maker() {
  PartMaker maker;
  maker.format = {.open = open_hdf5, .create = create_hdf5};
  return maker;
}

}  // namespace parts
}  // namespace benchbench
