// How logical samples lie on disk. The same logical sample (id, label, payload bytes, name) in
// every format.
//
// A format is one file in scenarios/formats, with its description (Holds: what it stores; OnDisk:
// how its data are told from those of others) and a maker of its FormatPart, and one
// benchbench_part() line. tests/contract/parts then writes, reads, damages and shrinks data of it.
// Most formats are a TableArchive (scenarios/formats/table_archive.h) and a SampleWriter.
//
// Errors: ScenarioError where the user can do something (open, create, add, finish), PartError for
// a sample that cannot be read while others can. Both name the file, and the sample or the byte
// where that is known; neither is thrown for what the caller did wrong: ids are below
// layout().samples. A file may be anything, and may change or become shorter while it is read: no
// number in it is believed before it is checked against the file's size.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "harness/part/description.h"
#include "harness/part/loader.h"
#include "harness/part/settings.h"

namespace benchbench {

// A stored sample as a reader hands it over.
struct StoredSample {
  std::span<const std::byte> payload;  // e.g. JPEG bytes; valid until the reader's next read()
  std::int64_t label = 0;
  std::string_view name;  // file or member, for messages; valid as long as the archive
};

// What the payload of every sample of a data set is. The logical bytes are the same in every
// format: of an image its encoded file; else the elements, little-endian and row-major, with
// nothing around them.
struct PayloadSpec {
  DataKind data = DataKind::image;
  DType dtype = DType::uint8;  // of an element; encoded images: uint8
  Shape row = {};              // rank 0 where samples differ in length: encoded images, tokens
  constexpr bool encoded_image() const noexcept { return data == DataKind::image && row.rank == 0; }
  constexpr bool operator==(const PayloadSpec&) const = default;
};
constexpr bool can_hold(const Holds& holds, const PayloadSpec& payload) noexcept {
  switch (payload.data) {
    case DataKind::image:
      return payload.row.rank == 0 ? holds.images : holds.pixels;
    case DataKind::volume:
      return holds.volumes;
    case DataKind::tokens:
      return holds.tokens;
    case DataKind::any:
      return false;
  }
  return false;
}

// One piece of one file.
struct Extent {
  static constexpr std::uint64_t kToTheEnd = ~std::uint64_t{0};
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // kToTheEnd: as long as the file is when it is opened
};

// Memory of one thread that only grows: where stored bytes become a payload that they do not hold
// as it is (inflated).
class Scratch {
 public:
  virtual ~Scratch() = default;
  // `bytes` bytes and at least 64 behind them that may be touched; what it gave before is gone.
  virtual std::span<std::byte> room(std::size_t bytes) = 0;
};

// Where the stored bytes of each sample lie, for formats that anybody can read with a file and an
// offset: the engines of scenarios/storage read through it. Any threads; lives as long as the
// archive.
class SampleExtents {
 public:
  virtual ~SampleExtents() = default;
  virtual std::uint32_t files() const noexcept = 0;
  // NUL-terminated, to be opened relative to folder(): a descriptor held open, or AT_FDCWD.
  virtual std::string_view path(std::uint32_t file) const noexcept = 0;
  virtual int folder() const noexcept = 0;
  // The one piece that holds all of the sample. Checked when the archive was opened: offset +
  // length does not overflow.
  virtual Extent extent(SampleId id) const = 0;
  // The sample in the bytes of its extent, checked: PartError naming file and member where they are
  // not what the index promised. Bills `parse` where there is something to do. The payload lies in
  // `stored` or in `scratch`.
  virtual StoredSample unwrap(SampleId id, std::span<const std::byte> stored, Scratch& scratch,
                              const Runtime& runtime, StepNumber step, StageMeter& meter) const = 0;
};

// One thread's way into an archive: own file handle, own buffer; one thread at a time. Ends before
// its archive and its Runtime. After a PartError it goes on with other samples.
class SampleReader {
 public:
  virtual ~SampleReader() = default;
  // In any order, any sample more than once.
  // Throws PartError naming the file where the bytes cannot be had (short read, damaged header).
  // Bills `read` and `parse` and calls meter.bytes_read and meter.payload.
  virtual StoredSample read(SampleId id, StepNumber step, StageMeter& meter) = 0;
};

// How the piece of a remark begins that says what was not read, and the piece of a data set of
// which no sample has a label.
inline constexpr std::string_view kPassedOver = "passed over ";
inline constexpr std::string_view kNoLabels = "no labels were found, all samples have label 0";

// An opened data set. Any thread may ask anything at any time; readers are per thread. Views that
// it gives live as long as it does. Each answer is the same every time: ids, names, labels and
// order are settled when it is opened.
class SampleArchive {
 public:
  virtual ~SampleArchive() = default;
  virtual Layout layout() const = 0;
  // The largest label and one; labels count from 0 and fit 31 bits.
  virtual std::uint32_t classes() const = 0;
  // Says for people what opening it has shown, in pieces with "; " between them: "passed over 3
  // files that are not an image: 2 .txt, 1 .gif; no labels were found, ...". Empty where nothing.
  virtual std::string_view remark() const { return {}; }
  virtual std::string_view name_of(SampleId id) const = 0;
  virtual std::int64_t label_of(SampleId id) const = 0;
  virtual PayloadSpec payload() const { return {}; }
  // nullptr where only the format's own library finds its way (parquet). Lives as long as the
  // archive.
  virtual const SampleExtents* extents() const { return nullptr; }
  // By extents and pread where there are extents, else by the format's library.
  virtual std::unique_ptr<SampleReader> reader(Runtime& runtime) = 0;
  // Through the format's own library, as a user's code would read it, its locks included. nullptr
  // where reader() is that already, or the format has no library.
  virtual std::unique_ptr<SampleReader> library_reader(Runtime&) { return nullptr; }

  // Whether samples are stored compressed and reading inflates them, which is billed as `decode`.
  virtual bool inflates() const { return false; }
  // As library_reader(), but the payload is the stored bytes as they are, not inflated, and
  // meter.payload is not called: what reading costs without decoding. nullptr where that cannot be
  // had.
  virtual std::unique_ptr<SampleReader> stored_library_reader(Runtime&) { return nullptr; }
};

// Writes an archive. One thread. Samples come in id order. Nothing is at `path` until finish()
// (written beside, then renamed); dropped before that, also after an error, it leaves nothing
// behind.
class SampleWriter {
 public:
  virtual ~SampleWriter() = default;
  // `name` is class-relative ("n0012/000017.jpg"), refused where it leads out of the archive;
  // `label` its class. The bytes are taken before it returns; none at all is a sample that could
  // not be read, and is kept as such.
  virtual void add(std::string_view name, std::int64_t label,
                   std::span<const std::byte> payload) = 0;
  // Called once, last: the archive is whole and at its place when it returns.
  virtual void finish() = 0;
};

struct WriteOrder {
  std::string_view path;  // nothing lies there; folders above it are made
  // Samples that will come; writers may trust it for widths and buffers, not for safety.
  std::uint64_t samples = 0;
  PayloadSpec payload = {};
};

// Both functions are there, and may be called by any thread, several at once.
struct FormatPart {
  // Opens what lies at `path`, a file or a folder of the user's or ours; writes nothing there.
  // ScenarioError where that is none of this format, damaged or unsafe, holds no samples, or lacks
  // a column that is named. Names are given only to a format whose description says it has columns.
  std::unique_ptr<SampleArchive> (*opens)(std::string_view path,
                                          const ColumnNames& columns) = nullptr;
  std::unique_ptr<SampleArchive> open(std::string_view path,
                                      const ColumnNames& columns = {}) const {
    return opens(path, columns);
  }
  // `payload` is one that the format's description says it holds.
  std::unique_ptr<SampleWriter> (*create)(const WriteOrder& order) = nullptr;
};

// Takes the bytes of one payload, which are valid during the call only.
using PayloadSink = std::function<void(std::span<const std::byte>)>;

// Makes logical samples from a seed. make() depends on (settings, id) alone; any thread.
class Synthesis {
 public:
  virtual ~Synthesis() = default;
  virtual std::uint64_t samples() const noexcept = 0;
  virtual std::uint32_t classes() const noexcept = 0;
  virtual std::int64_t label(SampleId id) const noexcept = 0;
  // The payload's bytes are handed to `sink` once.
  virtual void make(SampleId id, const PayloadSink& sink) const = 0;
  virtual std::uint64_t bytes_estimate() const noexcept = 0;  // of all payloads, within 20 %
  virtual std::string_view extension() const noexcept = 0;    // ".jpg"
  virtual PayloadSpec payload() const noexcept { return {}; }
};
using SynthesisFactory = std::unique_ptr<Synthesis> (*)(const Settings& synthesize);

}  // namespace benchbench
