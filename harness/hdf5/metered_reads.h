// What the library's reads take of the storage, told apart from what it does with what it read.
#pragma once
#include <cstdint>

#include "harness/core/runtime.h"

namespace benchbench::hdf5 {

// While one stands on a thread, that thread's reads of files that were opened metered are
// summed here. One at a time a thread; the runtime must outlive it.
class MeteredReads {
 public:
  explicit MeteredReads(const Runtime& runtime) noexcept;
  ~MeteredReads();
  MeteredReads(const MeteredReads&) = delete;
  MeteredReads& operator=(const MeteredReads&) = delete;
  std::uint64_t bytes() const noexcept { return bytes_; }
  Nanoseconds time() const noexcept { return time_; }

  // The driver's, around each read.
  TimePoint begin() const { return runtime_.now(); }
  void end(TimePoint begun, std::uint64_t bytes) {
    time_ += runtime_.now() - begun;
    bytes_ += bytes;
  }

 private:
  const Runtime& runtime_;
  std::uint64_t bytes_ = 0;
  Nanoseconds time_{0};
};

}  // namespace benchbench::hdf5
