// Inside harness/hdf5 only: a file driver of the library that can be made to note reads of elements
// instead of doing them, and one that says what its reads took.
#pragma once
#include <cstdint>

#include "harness/hdf5/handle.h"

namespace benchbench::hdf5 {

struct ProbedRead {
  int reads = 0;
  std::uint64_t offset = 0, bytes = 0;  // of the last
};

// While one stands on a thread, reads of elements by this thread are noted in `seen` and leave the
// buffer as it was. The index itself is read as ever.
class ProbingScope {
 public:
  explicit ProbingScope(ProbedRead& seen) noexcept;
  ~ProbingScope();
  ProbingScope(const ProbingScope&) = delete;
  ProbingScope& operator=(const ProbingScope&) = delete;
};

// For H5Pset_driver; read-only; registered once.
Id probing_driver();
// Reads as the library's own driver does, into the MeteredReads of its thread where one stands.
Id metered_driver();

}  // namespace benchbench::hdf5
