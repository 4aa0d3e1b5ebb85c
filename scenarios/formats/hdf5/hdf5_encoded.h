// Reading the layout of encoded images that hdf5.cpp writes.
#pragma once
#include <memory>

#include "harness/part/sample_format.h"
#include "scenarios/formats/hdf5/hdf5_columns.h"

namespace benchbench::hdf5_format {

inline constexpr const char* kPayload = "/payload";
inline constexpr const char* kOffsets = "/offsets";

// True if nothing is named, or /payload is, and the file has it.
bool is_encoded(const hdf5::File& file, const Paths& paths);
// ScenarioError where /payload, /offsets, labels and names do not fit together.
std::unique_ptr<SampleArchive> open_encoded(const hdf5::File& file, Paths paths);

}  // namespace benchbench::hdf5_format
