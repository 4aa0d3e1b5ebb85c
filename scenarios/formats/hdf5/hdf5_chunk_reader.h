// Samples of chunks that hold a part of one, or several compressed together.
#pragma once
#include <memory>

#include "harness/part/sample_format.h"
#include "scenarios/formats/hdf5/hdf5_chunks.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench::hdf5_format {

// Reads the chunks of the row of chunks that a sample lies in, and keeps them inflated for the next
// sample as far as 64 MiB go. One thread's; `chunks` and `table` outlive it.
std::unique_ptr<SampleReader> read_by_chunks(const std::string& path, const Chunks& chunks,
                                             const SampleTable& table, const Runtime& runtime);

}  // namespace benchbench::hdf5_format
