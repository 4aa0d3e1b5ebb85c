// Where a run was made, as name and value, for formats whose reader compares runs by them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

// "machine", "cpu_model", "cores_available", "memory_bytes", "kernel", "build", "libtorch", ...:
// names as in the JSON report's "environment"; what is not known is left out.
std::vector<std::pair<std::string, std::string>> surroundings_values(
    const Environment& environment);

}  // namespace benchbench
