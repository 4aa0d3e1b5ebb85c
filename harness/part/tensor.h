// Shapes of data at the seams: plain structs that own nothing, so that they are cheap to copy and
// cross module boundaries.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/core/words.h"

namespace benchbench {

// What one element is, in the machine's byte order.
enum class DType : std::uint8_t { uint8, int32, int64, float16, bfloat16, float32, int16, uint16 };

// In bytes.
constexpr std::size_t size_of(DType t) noexcept {
  constexpr std::size_t sizes[] = {1, 4, 8, 2, 2, 4, 2, 2};
  return sizes[static_cast<int>(t)];
}
template <>
inline constexpr auto kWordsOf<DType> = std::to_array<std::string_view>(
    {"uint8", "int32", "int64", "float16", "bfloat16", "float32", "int16", "uint16"});

inline constexpr std::size_t kMaxRank = 6;
inline constexpr std::size_t kMaxTensors = 4;

// Extents in elements, the slowest first. Those beyond `rank` are 0. Rank 0 is a scalar, of one
// element.
struct Shape {
  std::array<std::int64_t, kMaxRank> extent{};
  std::uint8_t rank = 0;
  constexpr std::int64_t elements() const noexcept {
    std::int64_t n = 1;
    for (std::uint8_t i = 0; i < rank; ++i) n *= extent[i];
    return n;
  }
  constexpr bool operator==(const Shape&) const = default;
};

// One tensor of a batch, without its batch dimension: images are {"image", uint8, [H, W, C]}
// (channels last, as decoded), labels {"label", int64, []}.
struct TensorSpec {
  char name[16] = {};  // NUL-terminated; no other tensor of the batch has it
  DType dtype = DType::uint8;
  Shape row;
  // extent[0] of the row is the most it can be: each batch has its own, up to that (token sequences
  // padded to the longest of their batch). A batch's views hold its own.
  bool ragged = false;
  // From one row to the next: there is nothing between them.
  constexpr std::size_t bytes_per_row() const noexcept {
    return static_cast<std::size_t>(row.elements()) * size_of(dtype);
  }
  constexpr bool operator==(const TensorSpec&) const = default;
};

inline constexpr std::size_t kMaxNormalized = 4;  // channels

// (value / 255 - mean) / deviation of each channel of a uint8 image, as the network was trained
// with.
struct ImageNormalization {
  std::array<float, kMaxNormalized> mean{}, deviation{1, 1, 1, 1};
  constexpr bool operator==(const ImageNormalization&) const = default;
};
inline constexpr ImageNormalization kImageNet{{0.485f, 0.456f, 0.406f, 0},
                                              {0.229f, 0.224f, 0.225f, 1}};

// The tensors of a batch: the first `count`, 1 to kMaxTensors. Trainers find them by name.
struct BatchSpec {
  std::array<TensorSpec, kMaxTensors> tensor{};
  std::uint8_t count = 0;
  // Of its tensor "image", uint8 [H, W, C] with 1 to 4 channels: left to the step. nullopt: nothing
  // is left to do.
  std::optional<ImageNormalization> normalize_in_step = std::nullopt;
  // Of this object: a view into a temporary copy does not last.
  std::span<const TensorSpec> tensors() const noexcept { return {tensor.data(), count}; }
  // Of all tensors together; of ragged ones the most it can be.
  constexpr std::size_t bytes_per_row() const noexcept {
    std::size_t n = 0;
    for (std::uint8_t i = 0; i < count; ++i) n += tensor[i].bytes_per_row();
    return n;
  }
  constexpr bool operator==(const BatchSpec&) const = default;
};

// Returns `data` and one label for each sample.
constexpr BatchSpec labelled(const TensorSpec& data) noexcept {
  BatchSpec spec;
  spec.tensor[0] = data;
  spec.tensor[1] = {.name = "label", .dtype = DType::int64, .row = {}};
  spec.count = 2;
  return spec;
}

// A tensor in memory: contiguous, row-major, `rows` × spec.row. Does not own: `data` is valid as
// long as the request, the lease or the source's batch that it came with. In the slots of a trial
// it is aligned to 64 bytes; elsewhere (`data --verify`, the batch that mode trainer repeats), and
// the rows within it, it need not be.
struct TensorView {
  TensorSpec spec;  // of a ragged tensor: as wide as this batch
  std::int64_t rows = 0;
  std::byte* data = nullptr;
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(rows) * spec.bytes_per_row();
  }
};

}  // namespace benchbench
