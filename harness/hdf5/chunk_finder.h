// Where single chunks lie in their file.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/hdf5/dataset.h"

namespace benchbench::hdf5 {

struct ChunkPlace {
  std::uint64_t offset = 0;           // in the file
  std::uint64_t bytes = 0;            // as stored
  std::uint32_t skipped_filters = 0;  // bit i: filter i was not applied to this chunk
};

// Asks the library for a chunk through a driver of ours that notes what it is asked for and reads
// nothing. So one look-up costs one descent of the index, some microseconds.
// H5Dget_chunk_info_by_coord and H5Dget_chunk_info of 1.10 walk the index from its beginning at
// each call: 65,536 chunks take them half a minute to four minutes, this one 0.03 to 0.4 s.
//
// Chunks are numbered row-major.
class ChunkFinder {
 public:
  // A file and a chunked data set that were looked at already: open_readonly(), dataset(),
  // require_plain().
  ChunkFinder(const std::string& path, const std::string& name, ErrorKind kind);
  // nullopt where it was never written, or the index is damaged. Any thread; the library's lock is
  // held meanwhile.
  std::optional<ChunkPlace> find(std::uint64_t number) const;

  const Dataset& data() const noexcept { return *data_; }
  const std::vector<std::uint64_t>& extents() const noexcept { return extents_; }
  const Storage& storage() const noexcept { return storage_; }
  std::uint64_t along(std::size_t dimension) const noexcept {  // chunks there
    const std::uint64_t chunk = storage_.chunk[dimension];
    return (extents_[dimension] + chunk - 1) / chunk;
  }

  // Where chunk 0 lies when all chunks, without filters, follow each other in the file in row-major
  // order: so the library lays them in files of the newest layout whose space was taken at once.
  // nullopt for all others. The kind of index says so; the first two, a middle and the last chunk
  // are looked at.
  std::optional<std::uint64_t> sequence_offset() const;

 private:
  Handle file_;
  std::optional<Dataset> data_;
  std::vector<std::uint64_t> extents_;
  Storage storage_;
};

}  // namespace benchbench::hdf5
