// Finished rows of a few samples held in memory: what transforming is replaced by where a step is
// to be measured without it.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "harness/part/sample_format.h"

namespace benchbench {

// Made once, then read by any thread; sample `id` gets one of at most 64 rows.
class HeldRows {
 public:
  HeldRows() = default;
  // `make` writes a row of `row_bytes` from a payload. PartError where no sample can be read.
  HeldRows(SampleArchive& archive, std::size_t row_bytes,
           const std::function<void(std::span<const std::byte> payload, SampleId id,
                                    std::byte* row)>& make);
  bool empty() const noexcept { return rows_.empty(); }
  std::span<const std::byte> row(SampleId id) const noexcept { return rows_[id % rows_.size()]; }

 private:
  std::vector<std::vector<std::byte>> rows_;
};

}  // namespace benchbench
