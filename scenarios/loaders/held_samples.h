// A few samples held in memory as pixels or as finished rows: what decoding or transforming is
// replaced by where a step is to be measured without it.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/sample_format.h"
#include "scenarios/decode/decoded_image.h"

namespace benchbench {

// Pixels of at most 64 of the first samples, fewer where they are huge. PartError where none of
// them decodes without a complaint.
std::vector<DecodedImage> hold_images(SampleArchive& archive);

// Rows of at most 64 of the first samples that can be used, fewer where they are huge. Made once,
// then read by any thread; sample `id` gets one of them, so neighbours differ and none is favoured.
class HeldRows {
 public:
  HeldRows() = default;
  // `make` writes a row of `row_bytes` from a payload, or throws PartError. PartError where none of
  // the samples can be `done`.
  HeldRows(SampleArchive& archive, std::size_t row_bytes,
           const std::function<void(ByteSpan payload, SampleId id, std::byte* row)>& make,
           std::string_view done = "read");
  bool empty() const noexcept { return rows_.empty(); }
  ByteSpan row(SampleId id) const noexcept { return rows_[id % rows_.size()]; }

 private:
  std::vector<std::vector<std::byte>> rows_;
};

}  // namespace benchbench
