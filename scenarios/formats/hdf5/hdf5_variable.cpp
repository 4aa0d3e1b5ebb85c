#include "scenarios/formats/hdf5/hdf5_variable.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "scenarios/formats/hdf5/hdf5_chunks.h"
#include "scenarios/formats/hdf5/hdf5_heap.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench::hdf5_format {
namespace {

[[noreturn]] void refuse(const hdf5::File& file, const std::string& path, std::string_view what) {
  throw ScenarioError(fmt::format("'{}': {} {}", file.path(), path, what),
                      "store encoded images as variable-length uint8 (h5py.vlen_dtype), one a row");
}

void require_readable(const hdf5::File& file, const std::string& path, const hdf5::Dataset& data) {
  if (data.variable() == hdf5::Variable::text)
    refuse(file, path, "has texts of variable length, which end at their first zero byte");
  if (data.variable() != hdf5::Variable::bytes)
    refuse(file, path, "has elements of variable length that are not bytes");
  if (data.extents().size() != 1) refuse(file, path, "has more than one dimension");
  if (data.rows() == 0) refuse(file, path, "has no samples in it");
  if (file.addresses().bytes != 8)
    refuse(file, path, "is in a file whose addresses do not have 8 bytes");
}

// The elements of the data set as they are stored: where each value is.
std::vector<std::byte> references_in(const hdf5::File& file, const std::string& path,
                                     const hdf5::Dataset& data, std::uint64_t file_bytes) {
  std::vector<std::byte> references(data.rows() * kReferenceBytes);
  const ReadFile bytes = ReadFile::open(file.path().c_str());
  if (const auto offset = data.contiguous_offset()) {
    bytes.read_at(*offset, references, file.path());
    return references;
  }
  if (data.storage().kind != hdf5::Storage::Kind::chunked)
    refuse(file, path, "was never written, or is stored in its header (compact)");
  const Chunks chunks(file.path(), path, kReferenceBytes, file_bytes);
  if (!chunks.readable()) refuse(file, path, "has a filter that only the HDF5 library undoes");
  ReadBuffer stored;
  GrowingScratch scratch;
  std::span<std::byte> left(references);
  for (std::uint64_t number = 0; !left.empty(); ++number) {
    const hdf5::ChunkPlace place = chunks.place(number);
    const std::span<std::byte> room = stored.room(checked_length(place.bytes, path));
    bytes.read_at(place.offset, room, file.path());
    const auto elements = chunks.undo_filters(room, place.skipped_filters, scratch, path);
    const std::size_t taken = std::min(left.size(), elements.size());  // the last one goes further
    std::ranges::copy(elements.first(taken), left.begin());
    left = left.subspan(taken);
  }
  return references;
}

std::vector<Extent> values_in(const hdf5::File& file, const std::string& path,
                              const hdf5::Dataset& data, std::uint64_t file_bytes) try {
  const std::vector<std::byte> references = references_in(file, path, data, file_bytes);
  FileBytes bytes(file.path());
  return objects_at(bytes, references, file.addresses().base);
} catch (const Malformed& error) {
  throw ScenarioError(fmt::format("'{}', at byte {}: {}", file.path(), error.at, error.what),
                      "copy or download the file again");
}

ArchiveIndex walk_values(const hdf5::File& file, const Paths& paths) {
  const hdf5::Dataset data = plain_data_set(file, paths.image);
  require_readable(file, paths.image, data);
  const std::uint64_t samples = data.rows();
  const auto values =
      values_in(file, paths.image, data, refuse_never_written(samples, file.path()));
  const Columns columns = columns_in(file, paths, samples);
  ArchiveIndex found;
  found.remark = columns.remark;
  for (std::size_t i = 0; i < samples; ++i)
    found.table.add(columns.names[i], columns.labels[i], values[i].offset, values[i].length);
  return found;
}

}  // namespace

std::unique_ptr<SampleArchive> open_variable(const hdf5::File& file, const Paths& paths,
                                             const ColumnNames& columns) {
  return std::make_unique<TableArchive>(kept_or_walked(
      file.path(), with_columns(fmt::format("hdf5 variable 1 {}", paths.image), columns),
      {file.path()}, [&] { return walk_values(file, paths); }));
}

}  // namespace benchbench::hdf5_format
