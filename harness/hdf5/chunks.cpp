// What a data set's chunks are and where they lie.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/hdf5/call.h"
#include "harness/hdf5/chunk_finder.h"
#include "harness/hdf5/file.h"
#include "harness/hdf5/probing_driver.h"

namespace benchbench::hdf5 {
namespace {

Storage::Kind kind_of(H5D_layout_t layout) {
  switch (layout) {
    case H5D_CONTIGUOUS:
      return Storage::Kind::contiguous;
    case H5D_CHUNKED:
      return Storage::Kind::chunked;
    case H5D_COMPACT:
      return Storage::Kind::compact;
    default:
      return Storage::Kind::other;
  }
}

}  // namespace

Storage Dataset::storage() const {
  enter_library();
  const Handle made = properties();
  Storage storage;
  storage.kind = kind_of(H5Pget_layout(made.get()));
  if (storage.kind == Storage::Kind::chunked) {
    std::vector<hsize_t> chunk(extents().size());
    check(H5Pget_chunk(made.get(), static_cast<int>(chunk.size()), chunk.data()), where_,
          "read its layout");
    storage.chunk.assign(chunk.begin(), chunk.end());
  }
  for (const Filter& filter : read_filters(made)) storage.filters.push_back(filter.number);
  return storage;
}

void Dataset::write_chunk(std::uint64_t row, std::span<const std::byte> stored) {
  enter_library();
  std::vector<hsize_t> corner(extents().size(), 0);
  corner.at(0) = row;
  check(H5Dwrite_chunk(id_.get(), H5P_DEFAULT, 0, corner.data(), stored.size(), stored.data()),
        where_, "write a chunk");
}

ChunkFinder::ChunkFinder(const std::string& path, const std::string& name, ErrorKind kind) {
  require_thread_safe(kind, path);
  const Handle access = access_without_lock();
  H5Pset_driver(access.get(), probing_driver(), nullptr);
  file_ = Handle(check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), {path, kind}, "open"),
                 H5Fclose);
  const Where where{fmt::format("{}: {}", path, name), kind};
  data_.emplace(
      Handle(check(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), where, "open"), H5Dclose),
      where);
  extents_ = data_->extents();
  storage_ = data_->storage();
}

std::optional<ChunkPlace> ChunkFinder::find(std::uint64_t number) const {
  enter_library();
  std::array<hsize_t, H5S_MAX_RANK> corner{};
  for (std::size_t i = extents_.size(); i-- > 0; number /= along(i))
    corner[i] = number % along(i) * storage_.chunk[i];
  ProbedRead seen;
  std::uint32_t skipped = 0;
  std::byte nothing{};  // the driver writes no byte of it
  herr_t found = -1;
  {
    const ProbingScope scope(seen);
    found = H5Dread_chunk(data_->id_.get(), H5P_DEFAULT, corner.data(), &skipped, &nothing);
  }
  if (seen.reads == 1 && found >= 0) return ChunkPlace{seen.offset, seen.bytes, skipped};
  if (found >= 0) fail(data_->where_, "find a chunk", "the library did not read it in one piece");
  H5Eclear2(H5E_DEFAULT);
  return std::nullopt;
}

std::optional<std::uint64_t> ChunkFinder::sequence_offset() const {
  enter_library();
  if (!storage_.filters.empty()) return std::nullopt;
  H5D_chunk_index_t index{};
  check(H5Dget_chunk_index_type(data_->id_.get(), &index), data_->where_, "read its layout");
  if (index != H5D_CHUNK_IDX_NONE && index != H5D_CHUNK_IDX_SINGLE) return std::nullopt;
  std::uint64_t chunks = 1;
  for (std::size_t i = 0; i < extents_.size(); ++i) chunks *= along(i);
  if (chunks == 0) return std::nullopt;
  const auto first = find(0);
  if (!first) return std::nullopt;
  const auto follows = [&](std::uint64_t number) {
    const auto place = find(number);
    return place && place->offset == first->offset + number * first->bytes;
  };
  const bool all =
      follows(std::min<std::uint64_t>(1, chunks - 1)) && follows(chunks / 2) && follows(chunks - 1);
  return all ? std::optional(first->offset) : std::nullopt;
}

}  // namespace benchbench::hdf5
