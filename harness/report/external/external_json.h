// Loaders and steps in the user's Python, for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "harness/analysis/findings.h"

namespace benchbench {

// results/README.md, "external": null where no trial used another process.
nlohmann::ordered_json external_values(const Findings& findings);

}  // namespace benchbench
