// Reading samples with H5Dread: what library_reader() of the HDF5 formats gives.
#pragma once
#include <memory>
#include <string>

#include "harness/part/sample_format.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench::hdf5_format {

// Sample `id` is the `rows_of(id)` rows from `first_of(id)` on of the data set `name`.
struct LibraryRows {
  std::string path;
  std::string name;
  DType dtype = DType::uint8;
  // Encoded images: rows of one byte each, `first_row` before the first sample's table offset. Else a row a sample.
  bool bytes = false;
  std::uint64_t payload_offset = 0;
};
// `table` outlives the reader.
std::unique_ptr<SampleReader> read_by_library(const LibraryRows& rows, const SampleTable& table,
                                              const Runtime& runtime);

}  // namespace benchbench::hdf5_format
