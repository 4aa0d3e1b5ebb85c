#include "harness/hdf5/row_reader.h"

#include <type_traits>

#include "harness/hdf5/call.h"
#include "harness/hdf5/file.h"

namespace benchbench::hdf5 {

static_assert(std::is_same_v<hsize_t, unsigned long long>);

RowReader::RowReader(Dataset dataset, Element element)
    : dataset_(std::move(dataset)), element_(element) {
  require_thread_safe(dataset_.where_.kind, dataset_.where());
  const auto extents = dataset_.extents();
  block_.assign(extents.begin(), extents.end());
  start_.assign(block_.size(), 0);
  there_ = dataset_.space("select rows");
}

void RowReader::read(std::uint64_t first_row, std::uint64_t rows, void* into) {
  enter_library();
  if (rows == 0) return;
  start_.at(0) = first_row;
  block_.at(0) = rows;
  check(H5Sselect_hyperslab(there_.get(), H5S_SELECT_SET, start_.data(), nullptr, block_.data(),
                            nullptr),
        dataset_.where_, "select rows");
  if (here_rows_ != rows) {
    // Of the same extents as what is selected there: of others the library goes through chunks
    // element by element, 100 times as slow.
    const int rank = static_cast<int>(block_.size());
    here_ = Handle(
        check(H5Screate_simple(rank, block_.data(), nullptr), dataset_.where_, "select rows"),
        H5Sclose);
    here_rows_ = rows;
  }
  check(H5Dread(dataset_.id_.get(), memory_type(element_), here_.get(), there_.get(), H5P_DEFAULT,
                into),
        dataset_.where_, "read");
}

std::uint64_t RowReader::stored_bytes(std::uint64_t row) {
  enter_library();
  start_.at(0) = row;
  hsize_t bytes = 0;
  check(H5Dget_chunk_storage_size(dataset_.id_.get(), start_.data(), &bytes), dataset_.where_,
        "find a chunk");
  return bytes;
}

void RowReader::read_stored(std::uint64_t row, void* into) {
  enter_library();
  start_.at(0) = row;
  std::uint32_t skipped = 0;
  check(H5Dread_chunk(dataset_.id_.get(), H5P_DEFAULT, start_.data(), &skipped, into),
        dataset_.where_, "read a chunk");
}

}  // namespace benchbench::hdf5
