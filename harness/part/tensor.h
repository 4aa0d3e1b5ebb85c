// Shapes of data at the seams: plain structs, no owning container, so that they cross module boundaries.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace benchbench {

enum class DType : std::uint8_t { uint8, int32, int64, float16, bfloat16, float32, int16, uint16 };

constexpr std::size_t size_of(DType t) noexcept {
  constexpr std::size_t sizes[] = {1, 4, 8, 2, 2, 4, 2, 2};
  return sizes[static_cast<int>(t)];
}
constexpr std::string_view name_of(DType t) noexcept {
  constexpr std::string_view names[] = {"uint8", "int32", "int64", "float16", "bfloat16", "float32",
                                        "int16", "uint16"};
  return names[static_cast<int>(t)];
}

inline constexpr std::size_t kMaxRank = 6;
inline constexpr std::size_t kMaxTensors = 4;

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

// One tensor of a batch, without its batch dimension: images are {"image", uint8, [H, W, C]} (channels last, as
// decoded), labels {"label", int64, []}.
struct TensorSpec {
  char name[16] = {};
  DType dtype = DType::uint8;
  Shape row;
  // extent[0] of the row is the most it can be: each batch has its own, up to that (token sequences padded to the
  // longest of their batch). A batch's views hold its own.
  bool ragged = false;
  constexpr std::size_t bytes_per_row() const noexcept {
    return static_cast<std::size_t>(row.elements()) * size_of(dtype);
  }
  constexpr bool operator==(const TensorSpec&) const = default;
};

struct BatchSpec {
  std::array<TensorSpec, kMaxTensors> tensor{};
  std::uint8_t count = 0;
  std::span<const TensorSpec> tensors() const noexcept { return {tensor.data(), count}; }
  constexpr std::size_t bytes_per_row() const noexcept {
    std::size_t n = 0;
    for (std::uint8_t i = 0; i < count; ++i) n += tensor[i].bytes_per_row();
    return n;
  }
  constexpr bool operator==(const BatchSpec&) const = default;
};

// A tensor in memory: contiguous, row-major, `rows` × spec.row. Does not own.
struct TensorView {
  TensorSpec spec;
  std::int64_t rows = 0;
  std::byte* data = nullptr;
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(rows) * spec.bytes_per_row(); }
};

}  // namespace benchbench
