// Names inside a file of arrays; what they mean is in hdf5_arrays.h.
#pragma once

namespace benchbench::hdf5_format {

inline constexpr const char* kData = "/data";
inline constexpr const char* kKind =
    "kind";  // attribute of the root: volume or image, where shapes leave it open

}  // namespace benchbench::hdf5_format
