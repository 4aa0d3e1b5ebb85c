// Labels that are an array of whole numbers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/byte_span.h"
#include "scenarios/formats/arrays/npy_header.h"

namespace benchbench::npy {

// True if an array of this header has a whole number for each sample: [samples] or [samples, 1].
bool has_labels(const Header& header, std::uint64_t samples) noexcept;
// Returns the labels in such an array, whose `elements` are whole. PartError where one is
// negative or over 31 bits.
std::vector<std::int64_t> labels_in(const Header& header, ByteSpan elements);

}  // namespace benchbench::npy
