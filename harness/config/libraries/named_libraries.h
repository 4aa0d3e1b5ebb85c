// Libraries of the user's own that a scenario names as its loader or trainer.
#pragma once
#include <functional>
#include <string>

#include "harness/config/yaml_tree.h"

namespace benchbench::config {

// Where `node`, which stands at `key` ("" for a whole file), names a library by a relative path,
// that path is made to begin at `folder`; then `load` is called for it. What `load` throws is a
// diagnostic at the path. Empty `load`: nothing is loaded.
void settle_libraries(YamlNode& node, const std::string& key, const std::string& folder,
                      const LoadLibrary& load, Diagnostics& diagnostics);

}  // namespace benchbench::config
