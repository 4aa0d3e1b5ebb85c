// Settings as a scenario has them.
#pragma once
#include <string>

#include "harness/record/value.h"

namespace benchbench {

// Block style, a mapping for each dot of a key, in the order of the keys:
// "loader:\n  num_workers: 4\n". Text that YAML would read as something else is in double quotes;
// what is not set is left out. Reading it back gives the same settings.
std::string settings_yaml(const SettingsMap& settings);

}  // namespace benchbench
