// What results.h5 has of each point, beyond the records.
#pragma once
#include <vector>

#include "harness/store/hdf5_columns.h"
#include "harness/store/run_folder.h"

namespace benchbench {

// "point" and "status", then the estimates (X, X_low, X_high, X_n) and numbers of
// analysis/metrics/metric_fields.h, one value a point. NaN is "not measured", and a rate whose mode
// is not VALID or NOISY; n is 0 there.
std::vector<StoredColumn> export_columns(const Journal& journal);

}  // namespace benchbench
