// Reading samples with H5Dread: what library_reader() of the HDF5 formats gives.
#pragma once
#include <atomic>
#include <memory>
#include <string>

#include "harness/core/lock.h"
#include "harness/part/sample_format.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench::hdf5_format {

// The library has one lock for all threads, which they wait for inside its calls. The readers of an
// archive wait here before they call it, so that the wait can be told from the read. Any threads.
class LibraryTurn {
 public:
  // The readers that live keep one lock between them, if they have the same runtime.
  std::shared_ptr<Lock> of(Runtime& runtime);

 private:
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::weak_ptr<Lock> lock_;
};

// Sample `id` is the `rows_of(id)` rows from `first_of(id)` on of the data set `name`.
struct LibraryRows {
  std::string path;
  std::string name;
  DType dtype = DType::uint8;
  // Encoded images: rows of one byte each, `first_row` before the first sample's table offset. Else
  // a row a sample.
  bool bytes = false;
  std::uint64_t payload_offset = 0;
  bool inflates = false;  // what a read takes beyond the storage is then decoding
  bool stored = false;    // the chunk of each sample as it is stored; of chunks of one row each
};
// Bills `lock`, `read` and, where it inflates, `decode`. `table` and `turn` outlive the reader.
std::unique_ptr<SampleReader> read_by_library(const LibraryRows& rows, const SampleTable& table,
                                              LibraryTurn& turn, Runtime& runtime);

}  // namespace benchbench::hdf5_format
