// The sweep of a scenario: which axes are left after all layers, and what each of their values
// changes.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/config/layer.h"
#include "harness/config/resolve.h"
#include "harness/record/scenario.h"

namespace benchbench::config {

// An axis as some layer wrote it.
struct WrittenAxis {
  const Entry* entry = nullptr;
  std::size_t layer = 0;  // its number among the layers

  const std::string& key() const noexcept { return entry->key; }
};

// Axes in the order first written; a later layer's replaces an earlier one's of the same key,
// `none` drops it, a key that the layer called "--set" gives is taken out, and `sweep: none` and
// --only take out all that are there.
std::vector<WrittenAxis> collect_axes(const std::vector<const Layer*>& layers,
                                      std::vector<std::string>& decisions);

// The layers of a point on another device: the device's own variant in place of the base's.
using LayersOnDevice = std::function<std::vector<const Layer*>(const std::string& device)>;

struct SweepContext {
  const std::vector<const Layer*>& layers;
  const Resolved& base;
  std::string device;  // what `auto` comes to
  LayersOnDevice layers_on;
  const Catalog& catalog;
};

// On an axis of devices the variant of a device other than the base's brings its own sweep: each of
// its values is one more of that device, "emulated pin_memory=true", but in a zip.
std::vector<Axis> build_axes(const std::vector<WrittenAxis>& written, const SweepContext& context,
                             std::vector<std::string>& decisions, Diagnostics& diagnostics);

inline constexpr std::size_t kMaxPoints = 10000;

}  // namespace benchbench::config
