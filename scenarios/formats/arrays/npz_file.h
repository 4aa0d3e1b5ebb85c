// One .npz with all samples: an array [samples, ...], and their labels.
#pragma once
#include <memory>
#include <string>

#include "harness/part/sample_format.h"

namespace benchbench {

// The array is the member that is named; else images, image, data, x, x_train or arr_0; else the
// only one of two and more dimensions. Its labels are the member that is named; else labels, label,
// y, y_train, targets or (of arr_0) arr_1 where it has a whole number for each sample. Of stored
// members (numpy.savez) samples are pieces of the file, read without a look at its checksums.
// Deflated ones (savez_compressed) are inflated here and held in memory, as numpy.load does it.
// ScenarioError.
std::unique_ptr<SampleArchive> open_npz_file(const std::string& path, const ColumnNames& columns);

}  // namespace benchbench
