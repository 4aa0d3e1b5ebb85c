// The rules that hold between the keys of a scenario, section by section.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/config/key_table.h"
#include "harness/config/layer.h"
#include "harness/record/value.h"

namespace benchbench::config {

// The things that a rule looks at, changes and says. `settings` are resolved from `given`, which
// is in `layers`.
struct RuleContext {
  SettingsMap& settings;
  const Given& given;
  const std::vector<const Layer*>& layers;
  const Selection& selection;
  const Catalog& catalog;
  std::vector<std::string>& decisions;
  Diagnostics& diagnostics;

  const Entry* entry(std::string_view key) const { return find_entry(given, key); }
};

// A loader that reads data has some, and columns are named only of a user's data that have any; of
// one that reads none a decision says that the data, or an emulated storage, have no effect.
// `settings` may be empty.
void check_dataset(const RuleContext& context);

// The rules of the work after a step: trainer.postprocess.*, trainer.checkpoint.*. A key that an
// axis gives, or that is given as none, counts as given: that is how a sweep switches work off.
void check_after_step(const RuleContext& context);

// The rules between trainer.device and the keys that mean something on one with memory of its own
// alone. Defaults of trainer.non_blocking and its kin are erased where batches stay on the host;
// what is given stays, and the plan says what becomes of it. Figures of an emulated device that is
// not used are reported and erased.
void settle_device(const RuleContext& context);

// A class longer or shorter than normal brings its own least window where the user gave none: with
// the usual 1 s every trial of class gate would be INVALID (R07).
void settle_window(const RuleContext& context);

// The rules between the keys of `measure`, and between them and the data: rounds that cannot be,
// measurements whose mode is left out, and synthesised data that hold no whole batch of a loader
// that reads them.
void check_measure(const RuleContext& context);

// The rules where the loader or the trainer is the user's own code, in a process of its own
// (PartDescription::external). Changes settings where a key means nothing there, each change in
// words. Nothing where both sides are the harness's.
void check_external(const RuleContext& context);

// Returns why the key cannot be an axis where the scenario's own loader or trainer is the user's
// code; "" where it can.
std::string why_not_swept(const std::string& key, const Selection& selection,
                          const Catalog& catalog);

}  // namespace benchbench::config
