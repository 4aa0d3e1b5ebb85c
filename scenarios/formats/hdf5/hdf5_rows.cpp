#include "scenarios/formats/hdf5/hdf5_rows.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/hdf5/file.h"
#include "harness/hdf5/row_reader.h"
#include "scenarios/formats/hdf5/hdf5_arrays.h"
#include "scenarios/storage/read_file.h"

namespace benchbench::hdf5_format {
namespace {

class LibraryReader final : public SampleReader {
 public:
  LibraryReader(const LibraryRows& rows, const SampleTable& table, const Runtime& runtime)
      : rows_(rows),
        table_(table),
        runtime_(runtime),
        file_(hdf5::File::open_readonly(rows.path)),
        reader_(plain(file_, rows.name), element_of(rows.dtype)),
        watched_(ReadFile::open(rows.path.c_str())) {}

  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    std::span<std::byte> bytes;
    try {
      const StageScope scope(meter, runtime_, step, Stage::read);
      bytes = buffer_.room(checked_length(table_.length(id), table_.name(id)));
      if (rows_.bytes)
        reader_.read(table_.offset(id) - rows_.payload_offset, bytes.size(), bytes.data());
      else
        reader_.read(id, 1, bytes.data());
      // The library gives zeros for what lies behind the end of a file.
      if (watched_.size_now() < watched_.size())
        throw PartError(fmt::format("'{}' has shrunk since it was opened", rows_.path));
    } catch (const hdf5::Hdf5Error& error) {
      throw PartError(error.message(), error.hint());
    }
    meter.bytes_read(bytes.size());
    meter.payload(id, bytes);
    return {bytes, table_.label(id), table_.name(id)};
  }

 private:
  static hdf5::Dataset plain(const hdf5::File& file, const std::string& name) {
    hdf5::Dataset data = file.dataset(name);
    data.require_plain();
    return data;
  }

  LibraryRows rows_;
  const SampleTable& table_;
  const Runtime& runtime_;
  hdf5::File file_;
  hdf5::RowReader reader_;
  ReadFile watched_;
  ReadBuffer buffer_;
};

}  // namespace

std::unique_ptr<SampleReader> read_by_library(const LibraryRows& rows, const SampleTable& table,
                                              const Runtime& runtime) {
  return std::make_unique<LibraryReader>(rows, table, runtime);
}

}  // namespace benchbench::hdf5_format
