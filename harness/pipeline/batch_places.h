// Where the tensors of a batch lie in one stretch of memory, of the host and of a device alike: so
// that one copy can move them all.
#pragma once
#include "harness/part/tensor.h"

namespace benchbench {

inline constexpr std::size_t kCacheLine = 64;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t to) noexcept {
  return (bytes + to - 1) / to * to;
}

struct BatchPlaces {
  // Bytes from the batch's begin, each on a cache line.
  std::array<std::size_t, kMaxTensors> starts{};
  std::size_t bytes = 0;  // of the batch, whole cache lines
};

constexpr BatchPlaces places_of(const BatchSpec& spec, std::uint64_t rows) noexcept {
  BatchPlaces places;
  for (std::size_t t = 0; t < spec.count; ++t) {
    places.starts[t] = places.bytes;
    places.bytes += rounded_up(spec.tensor[t].bytes_per_row() * rows, kCacheLine);
  }
  return places;
}

}  // namespace benchbench
