// The index beside a flat token file, byte for byte as Megatron-LM's indexed data sets have it, so
// that each reads the other's.
//
// File, integers little-endian: 9 bytes "MMIDIDX\0\0"; version 1 (8); element (1): 1 uint8, 3
// int16, 4 int32, 5 int64, 8 uint16; sequences S (8); documents D (8); S lengths in elements (4
// each); S offsets in bytes into the .bin (8 each); D numbers of each document's first sequence,
// the last one S (8 each). S more bytes may follow (of multimodal data), which are not looked at.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/tensor.h"

namespace benchbench {

struct TokenIndex {
  DType dtype = DType::uint16;
  std::vector<std::uint32_t> lengths;  // in elements
  std::vector<std::uint64_t> offsets;  // in bytes
};

inline constexpr std::string_view kTokenIndexMagic{"MMIDIDX\0\0", 9};
// Largest index that is read: 300 million sequences.
inline constexpr std::uint64_t kMaxTokenIndexBytes = 8ull << 30;

// ScenarioError naming `name` where the bytes are no index, or one that points outside of a .bin of
// `bin_bytes`.
TokenIndex parse_token_index(ByteSpan bytes, std::uint64_t bin_bytes, std::string_view name);
// The inverse, each sequence a document of its own.
std::string token_index_bytes(const TokenIndex& index);

// Whether a .bin can have elements of this kind.
bool is_token_type(DType type) noexcept;

}  // namespace benchbench
