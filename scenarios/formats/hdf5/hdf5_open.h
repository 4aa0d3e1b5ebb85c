// Finding the samples in an HDF5 file, ours or another's.
#pragma once
#include <memory>
#include <string_view>

#include "scenarios/formats/hdf5/hdf5_arrays.h"

namespace benchbench::hdf5_format {

// Opens what samples can be made of, in this order: the data set that is named; /payload with
// /offsets (hdf5.cpp), of `any` alone; /data; bytes of variable length, in the root or else in
// groups; a data set for each image (hdf5_variable.h); the only array of the root, else of the
// whole file. A layout other than `any` takes arrays alone. ScenarioError.
std::unique_ptr<SampleArchive> open_file(std::string_view path, Layout wanted,
                                         const ColumnNames& columns);

}  // namespace benchbench::hdf5_format
