// Libraries of the user's own that a scenario names as its loader or trainer.
#pragma once
#include <functional>
#include <string>

#include "harness/config/yaml_tree.h"

namespace benchbench::config {

// Makes each relative path of a library that `node` names begin at `folder`; `node` stands at `key`
// ("" for a whole file). Then `load` is called for it. What `load` throws is a
// diagnostic at the path. Empty `load`: nothing is loaded.
void settle_libraries(YamlNode& node, const std::string& key, const std::string& folder,
                      const LoadLibrary& load, Diagnostics& diagnostics);

}  // namespace benchbench::config
