// What holds for the `dataset` section as a whole: the data are either the user's or made, and read
// by someone.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/config/key_table.h"
#include "harness/config/layer.h"

namespace benchbench::config {

// Before a layer is laid on `given`: a path takes out a lower layer's synthesize and the other way
// round; both in one layer are an error.
void lay_dataset(const Layer& layer, Given& given, std::vector<std::string>& decisions,
                 Diagnostics& diagnostics);
// What dataset.format comes to where the user named none: what lies at the path; "" where there are
// no data, or where that cannot be told.
std::string format_if_none(const Given& given, const Catalog& catalog,
                           std::vector<std::string>& decisions);
// False for defaults under `dataset` (or dataset.synthesize) where that section is not used.
bool is_dataset_default_wanted(std::string_view key, const Given& given);

}  // namespace benchbench::config
