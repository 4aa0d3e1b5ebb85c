// Encoded images of their own length in HDF5 files of others: bytes of variable length in one data
// set, or a data set for each image. Past the library both are pieces of one file.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/part/sample_format.h"
#include "scenarios/formats/hdf5/hdf5_columns.h"
#include "scenarios/formats/hdf5/hdf5_tree.h"

namespace benchbench::hdf5_format {

// Opens the data set paths.image, whose elements are of variable length. `columns` are those that
// the user named. ScenarioError where they are not bytes in one dimension.
std::unique_ptr<SampleArchive> open_variable(const hdf5::File& file, const Paths& paths,
                                             const ColumnNames& columns);

// True if one of the data sets begins as an image.
bool has_images(const hdf5::File& file, const std::vector<std::string>& paths);
// Opens those of sets.bytes that begin as an image, in this order; arrays are passed over. The
// label of each is a whole number `label` in its group or among its attributes; where none has one,
// the top groups are the classes. ScenarioError where only some have a label, or none is an image.
std::unique_ptr<SampleArchive> open_singles(const hdf5::File& file, const DataSets& sets);
// The same of the index that is kept of a file, which spares its walk; nullptr where none is.
std::unique_ptr<SampleArchive> open_kept_singles(const std::string& path);

}  // namespace benchbench::hdf5_format
