// What holds between trainer.device and the keys that mean something on one with memory of its own
// alone.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/config/layer.h"
#include "harness/record/value.h"

namespace benchbench::config {

// `settings` are resolved from `given`. Defaults of trainer.non_blocking and its kin are erased
// where batches stay on the host; what is given stays, and the plan says what becomes of it.
// Figures of an emulated device that is not used are told and erased.
void settle_device(SettingsMap& settings, const Given& given, std::vector<std::string>& decisions);

}  // namespace benchbench::config
