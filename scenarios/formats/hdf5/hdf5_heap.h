// Bytes of variable length past the library: HDF5 keeps them in collections in the file, and in the
// data set only where each of them is.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/sample_format.h"
#include "scenarios/formats/looked_bytes.h"

namespace benchbench::hdf5_format {

// An element of the data set, little-endian: bytes (4), the collection's address (8), number of the
// object in it (4).
inline constexpr std::size_t kReferenceBytes = 16;

// Returns where the bytes of each reference are in the file, in the references' order; without a
// place where there are none. `base` is what addresses count from. Looks at every collection once.
// Throws Malformed where a reference leads to no collection or object, or is longer than it, and
// where collections overlap.
std::vector<Extent> objects_at(LookedBytes& file, ByteSpan references, std::uint64_t base);

}  // namespace benchbench::hdf5_format
