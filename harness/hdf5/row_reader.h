// Reading rows with H5Dread, over and over.
#pragma once
#include <cstdint>

#include "harness/hdf5/dataset.h"

namespace benchbench::hdf5 {

// The library's ordinary way, its one lock included: as a careful user writes it, with data set and
// selections kept open from read to read. One thread's.
class RowReader {
 public:
  RowReader(Dataset dataset, Element element);
  void read(std::uint64_t first_row, std::uint64_t rows, void* into);
  // Of chunks of one row each: how many bytes row `row` is stored in, and these, with no filter
  // undone.
  std::uint64_t stored_bytes(std::uint64_t row);
  void read_stored(std::uint64_t row, void* into);

 private:
  Dataset dataset_;
  Element element_;
  std::vector<unsigned long long> start_, block_;  // hsize_t
  Handle there_, here_;
  std::uint64_t here_rows_ = 0;
};

}  // namespace benchbench::hdf5
