// Layers -> settings: later layers win, parts' defaults fill in, what no longer fits is dropped and
// told.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/config/key_table.h"
#include "harness/config/layer.h"
#include "harness/record/value.h"

namespace benchbench::config {

struct Resolved {
  // Checked values and defaults; without keys that are `none`. trainer.intra_op_threads may still
  // be `auto`; loader.max_jobs is absent where it follows num_workers and prefetch_factor.
  SettingsMap settings;
  Selection selection;
  std::vector<Selection> selections;  // the parts named up to each layer
  Given given;                        // what decided each key that a layer gave
  std::vector<std::string> decisions;
};

// `device` is what trainer.device comes to where it is `auto` or not given. Layers in rising
// precedence; they outlive the result. Adds a diagnostic for everything wrong in any of the layers;
// the result is then partial. `base`: the parts of a base point whose keys are no mistakes at this
// point either; they are dropped where its own parts do not take them.
Resolved resolve(const std::vector<const Layer*>& layers, const std::string& device,
                 const Catalog& catalog, Diagnostics& diagnostics, const Selection* base = nullptr);

}  // namespace benchbench::config
