// The training loop's body around any Network. Torch module only.
#pragma once
#include <memory>

#include "harness/part/trainer.h"
#include "scenarios/trainers/network.h"

namespace benchbench {

// What the loader will send and the network is made for: images [channels, height, width],
// `classes` outputs.
struct NetworkRequest {
  const Settings& settings;
  std::int64_t channels, height, width;
  std::int64_t classes;
  Initial initial;
};
using NetworkFactory = std::unique_ptr<Network> (*)(const NetworkRequest&);

enum class HasMemoryFormat : bool { no, yes };

// Training mode, cross-entropy, SGD. Synchronous on the CPU: when step() returns, the step is done.
// Throws DeviceError where this module cannot use the device, PartError where the batch is not
// images with labels; torch's own errors come out as PartError.
std::unique_ptr<Trainer> make_torch_trainer(const TrainerContext& context, HasMemoryFormat layout,
                                            NetworkFactory make);

// Inside a catch: throws again what is ours, and what is torch's or the library's as PartError,
// with `doing` in front.
[[noreturn]] void throw_as_part_error(const char* doing);

}  // namespace benchbench
