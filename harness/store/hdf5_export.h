// results.h5 from a journal.
#pragma once
#include <string>

#include "harness/store/hdf5_columns.h"
#include "harness/store/run_folder.h"

namespace benchbench {

inline constexpr const char* kHdf5File = "results.h5";

// Builds `<folder>/results.h5` under a temporary name, opens it again, counts, renames. StoreError
// where any of it fails: then what was there before is there still. `points`: one value a point
// each, for /points.
void write_hdf5(const std::string& folder, const Journal& journal,
                const std::vector<StoredColumn>& points);

}  // namespace benchbench
