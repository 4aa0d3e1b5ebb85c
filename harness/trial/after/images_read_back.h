// Post-processing as a plot of some images does it: copied out of the batch, scaled to bytes,
// summed up.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/part/batch.h"

namespace benchbench {

// One thread's. Works on the first tensor of a batch in host memory.
class ImagesReadBack {
 public:
  // Keeps the first `images` rows, fewer where the batch has fewer: how many it kept.
  std::uint64_t copy(const BatchLease& batch, std::uint64_t images);
  // float32 images are stretched to 0..255 between their own least and most value, others are taken
  // byte by byte. The sum of all bytes, so that none of it can be left out.
  std::uint64_t sum();

 private:
  std::uint64_t sum_of_floats(const std::byte* image);

  TensorSpec spec_;
  std::vector<std::byte> kept_;
  std::vector<std::uint8_t> scaled_;
};

}  // namespace benchbench
