// What holds between the keys of the work after a step: trainer.postprocess.*,
// trainer.checkpoint.*.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/config/key_table.h"
#include "harness/config/layer.h"

namespace benchbench::config {

// `settings` are resolved from `given`, which lies in `layers`. A key that an axis gives, or that
// is given as none, counts as given: that is how a sweep switches work off.
void check_after_step(const SettingsMap& settings, const Given& given,
                      const std::vector<const Layer*>& layers, const PartRow* trainer,
                      Diagnostics& diagnostics);

}  // namespace benchbench::config
