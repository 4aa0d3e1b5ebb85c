#include "scenarios/formats/hdf5/hdf5_rows.h"

#include <fmt/format.h>

#include "harness/core/byte_span.h"
#include "harness/core/error.h"
#include "harness/core/pause.h"
#include "harness/hdf5/file.h"
#include "harness/hdf5/metered_reads.h"
#include "harness/hdf5/row_reader.h"
#include "scenarios/formats/hdf5/hdf5_arrays.h"
#include "scenarios/storage/read_file.h"

namespace benchbench::hdf5_format {
namespace {

class LibraryReader : public SampleReader {
 public:
  LibraryReader(const LibraryRows& rows, const SampleTable& table, LibraryTurn& turn,
                Runtime& runtime)
      : rows_(rows),
        table_(table),
        runtime_(runtime),
        turn_(turn.of(runtime)),
        file_(hdf5::File::open_readonly(rows.path, ErrorKind::scenario, rows.inflates)),
        reader_(plain_data_set(file_, rows.name), element_of(rows.dtype)),
        watched_(ReadFile::open(rows.path.c_str())) {}

  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    ByteSpan bytes;
    try {
      StageScope waiting(meter, runtime_, step, Stage::lock);
      const Guard guard(*turn_);
      waiting.stop();
      bytes = fetch(id, step, meter);
    } catch (const hdf5::Hdf5Error& error) {
      throw PartError(error.message(), error.hint());
    }
    // The library gives zeros for what lies behind the end of a file.
    if (watched_.size_now() < watched_.size())
      throw PartError(fmt::format("'{}' has shrunk since it was opened", rows_.path));
    told(id, bytes, meter);
    return {bytes, table_.label(id), table_.name(id)};
  }

 protected:
  virtual ByteSpan fetch(SampleId id, StepNumber step, StageMeter& meter) {
    const std::span<std::byte> bytes = room(table_.length(id), id);
    if (rows_.inflates) {
      fetch_and_inflate(id, step, meter, bytes);
      return bytes;
    }
    const StageScope scope(meter, runtime_, step, Stage::read);
    if (rows_.bytes)
      reader_.read(table_.offset(id) - rows_.payload_offset, bytes.size(), bytes.data());
    else
      reader_.read(id, 1, bytes.data());
    meter.bytes_read(bytes.size());
    return bytes;
  }
  virtual void told(SampleId id, ByteSpan bytes, StageMeter& meter) { meter.payload(id, bytes); }

  Runtime& runtime() const noexcept { return runtime_; }
  hdf5::RowReader& rows() noexcept { return reader_; }
  std::span<std::byte> room(std::uint64_t bytes, SampleId id) {
    return buffer_.room(checked_length(bytes, table_.name(id)));
  }

 private:
  // One call does both: its driver says what the storage took, the rest is the library's work on
  // it.
  void fetch_and_inflate(SampleId id, StepNumber step, StageMeter& meter,
                         std::span<std::byte> bytes) {
    const hdf5::MeteredReads reads(runtime_);
    const TimePoint begun = runtime_.now();
    reader_.read(id, 1, bytes.data());
    const Nanoseconds took = runtime_.now() - begun;
    meter.bytes_read(reads.bytes());
    if (!meter.stages_wanted()) return;
    meter.record(step, Stage::read, reads.time());
    meter.record(step, Stage::decode, took - reads.time());
  }

  LibraryRows rows_;
  const SampleTable& table_;
  Runtime& runtime_;
  std::shared_ptr<Lock> turn_;
  hdf5::File file_;
  hdf5::RowReader reader_;
  ReadFile watched_;
  ReadBuffer buffer_;
};

class StoredLibraryReader final : public LibraryReader {
 public:
  using LibraryReader::LibraryReader;

 private:
  ByteSpan fetch(SampleId id, StepNumber step, StageMeter& meter) override {
    const StageScope scope(meter, runtime(), step, Stage::read);
    const std::span<std::byte> bytes = room(rows().stored_bytes(id), id);
    rows().read_stored(id, bytes.data());
    meter.bytes_read(bytes.size());
    return bytes;
  }
  void told(SampleId, ByteSpan, StageMeter&) override {}
};

}  // namespace

std::shared_ptr<Lock> LibraryTurn::of(Runtime& runtime) {
  while (busy_.test_and_set(std::memory_order_acquire)) pause_cpu();
  std::shared_ptr<Lock> lock = lock_.lock();
  if (!lock || &lock->runtime() != &runtime) lock_ = lock = std::make_shared<Lock>(runtime);
  busy_.clear(std::memory_order_release);
  return lock;
}

std::unique_ptr<SampleReader> read_by_library(const LibraryRows& rows, const SampleTable& table,
                                              LibraryTurn& turn, Runtime& runtime) {
  if (rows.stored) return std::make_unique<StoredLibraryReader>(rows, table, turn, runtime);
  return std::make_unique<LibraryReader>(rows, table, turn, runtime);
}

}  // namespace benchbench::hdf5_format
