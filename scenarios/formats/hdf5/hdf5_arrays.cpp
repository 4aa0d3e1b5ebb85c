#include "scenarios/formats/hdf5/hdf5_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/hdf5/file.h"
#include "scenarios/formats/arrays/array_payload.h"
#include "scenarios/formats/hdf5/hdf5_array_writer.h"
#include "scenarios/formats/hdf5/hdf5_chunk_reader.h"
#include "scenarios/formats/hdf5/hdf5_chunks.h"
#include "scenarios/formats/hdf5/hdf5_columns.h"
#include "scenarios/formats/hdf5/hdf5_rows.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/table_archive.h"

namespace benchbench::hdf5_format {
namespace {

using hdf5::Element;
using hdf5::Storage;

constexpr std::pair<Element, DType> kElements[] = {
    {Element::uint8, DType::uint8},   {Element::int16, DType::int16},
    {Element::uint16, DType::uint16}, {Element::int32, DType::int32},
    {Element::int64, DType::int64},   {Element::float32, DType::float32}};

[[noreturn]] void refuse(const std::string& path, std::string_view what) {
  throw ScenarioError(fmt::format("'{}': {}", path, what),
                      "expected: /data [samples, ...] of uint8, int16, uint16, int32, int64 or "
                      "float32, /labels [samples]; or name them: dataset.columns: {image: PATH}");
}

PayloadSpec payload_in(const hdf5::File& file, const hdf5::Dataset& data) {
  const auto extents = data.extents();
  const auto element = data.element();
  const auto known = std::ranges::find_if(
      kElements, [&](const auto& e) { return element && e.first == *element; });
  if (known == std::end(kElements))
    refuse(file.path(), "its element type or byte order can only be read by the HDF5 library");
  if (extents.size() < 2)
    refuse(file.path(), "its data have one dimension: a sample would be a single number");
  if (extents[0] == 0) refuse(file.path(), "no samples in it");
  PayloadSpec payload = array_payload(known->second, std::span(extents).subspan(1));
  if (const auto kind = file.text_attribute(kKind)) payload.data = kind_from(*kind);
  return payload;
}

class ArrayArchive : public TableArchive {
 public:
  ArrayArchive(Parts parts, std::string name, bool inflates = false)
      : TableArchive(std::move(parts)),
        library_{.path = std::string(path(0)),
                 .name = std::move(name),
                 .dtype = payload().dtype,
                 .inflates = inflates} {}
  bool inflates() const override { return library_.inflates; }
  std::unique_ptr<SampleReader> library_reader(Runtime& runtime) override {
    return read_by_library(library_, table(), turn_, runtime);
  }

 protected:
  std::unique_ptr<SampleReader> stored_by_library(Runtime& runtime) {
    LibraryRows stored = library_;
    stored.stored = true;
    return read_by_library(stored, table(), turn_, runtime);
  }

 private:
  LibraryRows library_;
  LibraryTurn turn_;
};

class ChunkedArchive : public ArrayArchive {
 public:
  ChunkedArchive(Parts parts, std::string name, std::unique_ptr<Chunks> chunks)
      : ArrayArchive(std::move(parts), std::move(name), chunks->filtered()),
        chunks_(std::move(chunks)) {}

 protected:
  const std::unique_ptr<Chunks> chunks_;
};

// A chunk holds a sample, or several as they are.
class ChunkArchive final : public ChunkedArchive {
 public:
  using ChunkedArchive::ChunkedArchive;

  std::unique_ptr<SampleReader> stored_library_reader(Runtime& runtime) override {
    return chunks_->filtered() ? stored_by_library(runtime) : nullptr;
  }

  // Empty where the chunk cannot be found: unwrap() says why, for this sample alone, whichever
  // engine reads.
  Extent extent(SampleId id) const override try {
    const std::uint64_t rows = chunks_->chunk()[0];
    const hdf5::ChunkPlace place = chunks_->place(id / rows);
    if (chunks_->filtered()) return {0, place.offset, place.bytes};
    return {0, place.offset + id % rows * table().length(id), table().length(id)};
  } catch (const PartError&) {
    return {};
  }
  StoredSample unwrap(SampleId id, ByteSpan stored, Scratch& scratch, const Runtime& runtime,
                      StepNumber step, StageMeter& meter) const override {
    const hdf5::ChunkPlace place = chunks_->place(id / chunks_->chunk()[0]);
    if (!chunks_->filtered()) return sample(id, stored);
    const StageScope scope(meter, runtime, step, Stage::decode);
    const std::uint32_t skipped = place.skipped_filters;
    return sample(id, chunks_->undo_filters(stored, skipped, scratch, table().name(id)));
  }
};

// Chunks that have to be put together, or that only the library can undo.
class AssembledArchive final : public ChunkedArchive {
 public:
  using ChunkedArchive::ChunkedArchive;
  const SampleExtents* extents() const override { return nullptr; }
  std::unique_ptr<SampleReader> reader(Runtime& runtime) override {
    if (!chunks_->readable()) return ArrayArchive::library_reader(runtime);
    return read_by_chunks(std::string(path(0)), *chunks_, table(), runtime);
  }
  std::unique_ptr<SampleReader> library_reader(Runtime& runtime) override {
    return chunks_->readable() ? ArrayArchive::library_reader(runtime) : nullptr;
  }
};

void require_layout(const hdf5::File& file, const Storage& storage, Layout wanted) {
  const bool contiguous = storage.kind == Storage::Kind::contiguous;
  const Layout found = contiguous                ? Layout::contiguous
                       : storage.filters.empty() ? Layout::chunked
                                                 : Layout::gzip;
  if (!contiguous && storage.kind != Storage::Kind::chunked)
    refuse(file.path(), "its data are stored in its header (compact)");
  if (wanted == Layout::any || wanted == found) return;
  constexpr std::string_view names[] = {"hdf5", "hdf5_contiguous", "hdf5_chunked", "hdf5_gzip"};
  constexpr std::string_view words[] = {"", "contiguous", "chunked without a filter",
                                        "chunked and filtered"};
  throw ScenarioError(fmt::format("'{}' does not have format {}: its data are {}", file.path(),
                                  names[static_cast<int>(wanted)], words[static_cast<int>(found)]),
                      fmt::format("use dataset.format: {}", names[static_cast<int>(found)]));
}

std::string remark_of(const Chunks& chunks) {
  if (!chunks.readable()) return "the HDF5 library decodes its filters, under the library's lock";
  return fmt::format("its chunks of [{}] do not hold one sample each: more is read than needed",
                     fmt::join(chunks.chunk(), ", "));
}

}  // namespace

hdf5::Element element_of(DType dtype) {
  for (const auto& [element, ours] : kElements)
    if (ours == dtype) return element;
  throw ScenarioError(fmt::format("HDF5 files of {} are not written", name_of(dtype)));
}

std::unique_ptr<SampleArchive> open_arrays(const hdf5::File& file, Layout wanted,
                                           const Paths& paths) {
  const std::string& path = file.path();
  const std::string& name = paths.image;
  const hdf5::Dataset data = plain_data_set(file, name);
  const Storage storage = data.storage();
  require_layout(file, storage, wanted);
  TableArchive::Parts parts{.files = {path}, .payload = payload_in(file, data)};
  const std::uint64_t samples = data.rows(), bytes = array_bytes(parts.payload);
  const std::uint64_t file_bytes = refuse_never_written(samples, path);
  const auto first = storage.kind == Storage::Kind::contiguous ? data.contiguous_offset() : 0;
  if (!first) refuse(path, "its data were never written");
  const Columns columns = columns_in(file, paths, samples);
  parts.remark = columns.remark;
  for (std::uint64_t i = 0; i < samples; ++i)
    parts.table.add(columns.names[i], columns.labels[i], *first + i * bytes, bytes);
  if (storage.kind == Storage::Kind::contiguous)
    return std::make_unique<ArrayArchive>(std::move(parts), name);
  auto chunks = std::make_unique<Chunks>(path, name, size_of(parts.payload.dtype), file_bytes);
  if (chunks->readable() && chunks->sample_in_one_piece())
    return std::make_unique<ChunkArchive>(std::move(parts), name, std::move(chunks));
  add_remark(parts.remark, remark_of(*chunks));
  return std::make_unique<AssembledArchive>(std::move(parts), name, std::move(chunks));
}

}  // namespace benchbench::hdf5_format
