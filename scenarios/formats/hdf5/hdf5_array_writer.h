// Names inside a file of arrays; what they mean is in hdf5_arrays.h.
#pragma once

namespace benchbench::hdf5_format {

inline constexpr const char* kData = "/data";
// An attribute of the root: volume or image, where shapes leave it open.
inline constexpr const char* kKind = "kind";

}  // namespace benchbench::hdf5_format
