// Encoded images in one HDF5 file:
//   /payload  uint8 [bytes]      all stored files, end to end, in one uncompressed piece
//   /offsets  uint64 [samples+1] sample i is payload[offsets[i] .. offsets[i+1])
//   /labels   int64 [samples]
//   /names    text [samples]     may be missing
// Other files that are read as this format: hdf5_open.h.
// Samples are read with pread at the payload's place in the file: the library holds one lock for
// all threads, and costs 2x (large) to 5x (small samples) even for one.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/hdf5/file.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/hdf5/hdf5_columns.h"
#include "scenarios/formats/hdf5/hdf5_encoded.h"
#include "scenarios/formats/hdf5/hdf5_open.h"
#include "scenarios/formats/placed_writer.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {
namespace {

using hdf5_format::kOffsets;
using hdf5_format::kPayload;

std::unique_ptr<SampleArchive> open_hdf5(const std::string& path, const ColumnNames& columns) {
  return hdf5_format::open_file(path, hdf5_format::Layout::any, columns);
}

// HDF5 must know the payload's size before it has a place in the file. So the bytes go to a file
// without a name first, which gives its blocks back piece by piece while they are copied.
class PayloadFile {
 public:
  explicit PayloadFile(const std::string& path)
      : written_(WriteFile::create(path)), read_(ReadFile::open(path.c_str())) {
    ::unlink(path.c_str());
  }
  std::uint64_t size() const noexcept { return written_.size(); }
  void add(ByteSpan bytes) { written_.write(bytes); }
  void move_to(hdf5::Dataset& data) {
    constexpr std::uint64_t kPiece = 8 << 20;
    ReadBuffer buffer;
    for (std::uint64_t at = 0; at < size(); at += kPiece) {
      const std::span<std::byte> piece = buffer.room(std::min(kPiece, size() - at));
      read_.read_at(at, piece, "the payload");
      data.write(at, ByteSpan(piece));
      // Twice the space is needed for a while where it cannot.
      ::fallocate(written_.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(at), static_cast<off_t>(piece.size()));
    }
  }

 private:
  WriteFile written_;
  ReadFile read_;
};

class Hdf5Writer final : public PlacedWriter {
 public:
  explicit Hdf5Writer(const WriteOrder& order)
      : PlacedWriter(order), payload_(place_.beside() + ".payload") {}

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    payload_.add(payload);
    offsets_.push_back(payload_.size());
    labels_.push_back(label);
    names_.emplace_back(name);
  }

  void complete() override {
    if (payload_.size() == 0) place_.refuse_empty();
    hdf5::File file = hdf5::File::create(place_.beside(), ErrorKind::scenario);
    file.set_attribute("format", "benchbench encoded images 1");
    file.write(kOffsets, std::span<const std::uint64_t>(offsets_)).set_attribute("unit", "bytes");
    hdf5_format::write_labels_and_names(file, labels_, names_);
    {
      hdf5::Dataset data =
          file.create_contiguous(kPayload, hdf5::Element::uint8, {payload_.size()});
      payload_.move_to(data);
    }
    file.close();
    sync_file_system(std::filesystem::absolute(place_.path()).parent_path());
  }

  PayloadFile payload_;
  std::vector<std::uint64_t> offsets_{0};
  std::vector<std::int64_t> labels_;
  std::vector<std::string> names_;
};

}  // namespace

namespace parts {

constexpr Stage kStagesBilledByHdf5[] = {Stage::read, Stage::parse, Stage::decode, Stage::lock};

extern const PartDescription sample_format_hdf5_description{
    .kind = PartKind::sample_format,
    .name = "hdf5",
    .summary =
        "One HDF5 file with all encoded images end to end, or with arrays of any layout; read "
        "without the library's lock.",
    .data = DataKind::image,
    .stages = kStagesBilledByHdf5,
    .holds = {.images = true},
    .on_disk = {.made_as = "samples.h5",
                .extensions = {".h5", ".hdf5"},
                .signature = "\x89HDF\r\n\x1a\n",
                .library = true,
                .columns = true},
};

PartMaker sample_format_hdf5_maker() { return format_maker<open_hdf5, Hdf5Writer>(); }

}  // namespace parts
}  // namespace benchbench
