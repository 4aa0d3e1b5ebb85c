// The header of numpy's .npy files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/tensor.h"

namespace benchbench::npy {

inline constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  DType dtype = DType::uint8;
  std::vector<std::uint64_t> shape;
  std::size_t size = 0;  // bytes before the first element
};

// Of the bytes a file begins with, at least kMax of them where it is longer. PartError, saying what
// is wrong: no .npy file, a version after 3, an order other than C's, elements that are big-endian,
// Python objects or otherwise none of ours.
Header parse(ByteSpan bytes);
inline constexpr std::size_t kMax = 64 << 10;
// Bytes of all elements. PartError where the shape asks for more than a number can say.
std::uint64_t element_bytes(const Header& header);
// As numpy writes it, version 1.0; its size is a multiple of 64.
std::string header_of(DType dtype, std::span<const std::uint64_t> shape);

}  // namespace benchbench::npy
