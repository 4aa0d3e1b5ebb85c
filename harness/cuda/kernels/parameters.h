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

// An image of R, G, B and perhaps one more byte a pixel at `from`, which a row is made of: the box
// of `width` x `height` pixels from x, y on becomes result_width x result_height, of which the row
// is the part from left, top on. from 0: there is no image.
struct ResizedImage {
  std::uint64_t from;
  std::uint32_t pitch, pixel;  // bytes from row to row, and from pixel to pixel
  std::int32_t x, y, width, height;
  std::int32_t result_width, result_height, left, top;
  std::int32_t mirrored;
};

// `count` images of the device's memory become rows [size, size, 3] at `to`; elements of float32
// are value * scale[c] + shift[c].
struct ResizeParameter {
  std::uint64_t images, to, count;
  std::int32_t size;
  float scale[3], shift[3];
};

// Nanoseconds of the device's global timer, or cycles of one processor.
inline constexpr unsigned kGlobalTimer = 0, kClockTimer = 1;

}  // namespace benchbench::cuda
