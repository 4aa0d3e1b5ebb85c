// What holds where the loader or the trainer is the user's own code, in a process of its own:
// PartDescription::external.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/config/key_table.h"
#include "harness/config/layer.h"
#include "harness/record/value.h"

namespace benchbench::config {

// Changes `settings` where a key means nothing there, each change in words. Nothing where both
// sides are the harness's.
void check_external(SettingsMap& settings, const Given& given, const Selection& selection,
                    const Catalog& catalog, std::vector<std::string>& decisions,
                    Diagnostics& diagnostics);

// Why the key cannot be an axis where the scenario's own loader or trainer is the user's code; ""
// where it can.
std::string why_not_swept(const std::string& key, const Selection& selection,
                          const Catalog& catalog);

}  // namespace benchbench::config
