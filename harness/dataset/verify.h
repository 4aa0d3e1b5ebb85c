// Does a made data set still hold what its manifest says?
#pragma once
#include <cstdint>

#include "harness/core/runtime.h"
#include "harness/dataset/dataset.h"

namespace benchbench {

// Count, all labels, and the digests of `looks` samples spread evenly from the first to the last (0
// = all). ScenarioError naming the data set's folder and the sample, with the hint to remove the
// folder.
void check_dataset(const DatasetNeed& need, const Catalog& catalog, Runtime& runtime,
                   std::uint64_t looks);

}  // namespace benchbench
