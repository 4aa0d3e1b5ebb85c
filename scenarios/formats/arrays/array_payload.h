// Samples that are arrays of one shape: volumes, decoded images.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/sample_format.h"

namespace benchbench {

// Bytes of one sample. PartError where a shape has a side below 1, more sides than a tensor, or
// more than 1 GiB.
std::uint64_t array_bytes(const PayloadSpec& payload);
// What an array of a file is that says no more than element and shape: [H, W, 3] of uint8 is a
// decoded image, the rest are volumes. Checked as array_bytes().
PayloadSpec array_payload(DType dtype, std::span<const std::uint64_t> shape);
// Returns the payload of a whole .npy. Throws PartError.
PayloadSpec payload_of_npy(ByteSpan npy);
// Its elements. PartError where they are not `payload`, the first sample's, or cut short.
ByteSpan elements_of_npy(ByteSpan npy, const PayloadSpec& payload);
// The sides of a sample.
std::vector<std::uint64_t> shape_of(const PayloadSpec& payload);
// "int16 [64, 64, 64]".
std::string words_of(const PayloadSpec& payload);
// "volume" or "image", and back: for files that keep it.
std::string_view kind_word(const PayloadSpec& payload) noexcept;
DataKind kind_from(std::string_view word) noexcept;
// ScenarioError where a sample to be written is none of `payload`.
void require_array(ByteSpan sample, const PayloadSpec& payload, std::string_view name);

}  // namespace benchbench
