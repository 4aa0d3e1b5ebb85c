// Arrays of one shape in one HDF5 file:
//   /data    [samples, ...]   the samples, each along all dimensions but the first
//   /labels  int64 [samples]  may be missing: all 0
//   /names   text [samples]   may be missing
// A file of others may have one data set of two and more dimensions under any name in place of
// /data, with labels and names in its group, and the user may name all three (hdf5_open.h).
//
// Samples are read past the library, which holds one lock for all threads. Contiguous: by their
// place in the file. A chunk a sample: stored bytes by the chunk's place, which is arithmetic in
// files that we write without a filter, and else found once a chunk (harness/hdf5/chunk_finder.h);
// gzip is inflated outside the lock. Chunks of other extents are put together from their stored
// bytes (hdf5_chunk_reader.h).
#pragma once
#include <memory>
#include <string>

#include "harness/hdf5/dataset.h"
#include "harness/part/sample_format.h"
#include "scenarios/formats/hdf5/hdf5_columns.h"

namespace benchbench::hdf5_format {

enum class Layout { any, contiguous, chunked, gzip };

// Opens the data set paths.image. ScenarioError where it is laid out in another way than `wanted`,
// naming the format that reads it; PartError and Hdf5Error, which name the file or what is in it.
std::unique_ptr<SampleArchive> open_arrays(const hdf5::File& file, Layout wanted,
                                           const Paths& paths);
std::unique_ptr<SampleWriter> create_arrays(const WriteOrder& order, Layout layout);
hdf5::Element element_of(DType dtype);  // ScenarioError where HDF5 files of ours cannot have it

}  // namespace benchbench::hdf5_format
