// What holds between the keys of `measure`, and between them and the data.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/config/key_table.h"
#include "harness/config/layer.h"

namespace benchbench::config {

// A class longer or shorter than normal brings its own least window where the user gave none: with
// the usual 1 s every trial of class gate would be INVALID (R07).
void settle_window(SettingsMap& settings, const Given& given, std::vector<std::string>& decisions);

// `settings` are resolved from `given`: rounds that cannot be, measurements whose mode is left out,
// and synthesised data that hold no whole batch of a loader that reads them.
void check_measure(const SettingsMap& settings, const Given& given, const PartRow* loader,
                   std::vector<std::string>& decisions, Diagnostics& diagnostics);

}  // namespace benchbench::config
