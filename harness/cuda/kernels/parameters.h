// Parameters of the kernels that are more than numbers: included by the host, by the kernels, and
// by their twins in tests.
#pragma once
#include <cstdint>

namespace benchbench::cuda {

inline constexpr unsigned kMaxRanges = 4;    // tensors of a batch
inline constexpr unsigned kMaxChannels = 4;  // of an image

// Addresses are the device's.
struct RangeParameter {
  std::uint64_t data, bytes;
};
struct RangesParameter {
  RangeParameter range[kMaxRanges];
  std::uint64_t count;
};

// Row ids[i] of each table goes to row i at its `to`, for i < rows. The ids are of 64 bits.
struct TableParameter {
  std::uint64_t from, to, row_bytes;
};
struct GatherParameter {
  TableParameter table[kMaxRanges];
  std::uint64_t count, rows, ids;
};

// `pixels` of all images together, `plane` of one. Element c of a pixel becomes value * scale[c] +
// shift[c], rounded once.
struct NormalizationParameter {
  std::uint64_t from, to;
  std::uint64_t pixels, plane;
  std::uint64_t channels;
  float scale[kMaxChannels], shift[kMaxChannels];
};

// Nanoseconds of the device's global timer, or cycles of one processor.
inline constexpr unsigned kGlobalTimer = 0, kClockTimer = 1;

}  // namespace benchbench::cuda
