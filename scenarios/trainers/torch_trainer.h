// The training loop's body around any Network. Torch module only.
#pragma once
#include <memory>

#include "harness/part/trainer.h"
#include "scenarios/trainers/batch_input.h"
#include "scenarios/trainers/network.h"
#include "scenarios/trainers/torch_device.h"

namespace benchbench {

// The batches that a network is made for, and the number of its outputs.
struct NetworkRequest {
  const Settings& settings;
  const BatchSpec& batch;
  std::int64_t classes;
  Initial initial;
};

// The parts that a trainer of the torch module is made of.
struct NetworkKind {
  std::unique_ptr<Network> (*make)(const NetworkRequest&);
  std::unique_ptr<BatchInput> (*make_input)(const BatchSpec&,
                                            const InputLayout&) = make_image_input;
};

// One step: training mode, cross-entropy, SGD; with `pass: forward`, evaluation mode and no
// gradient. Synchronous on the CPU: when step() returns, the step is done. On CUDA it is enqueued
// on the step's stream. Throws DeviceError where torch cannot use the context's device, PartError
// where the network takes no such batches; torch's own errors come out as PartError.
std::unique_ptr<Trainer> make_torch_trainer(const TrainerContext& context, const NetworkKind& kind);
// The same on `device`, which the trainer owns.
std::unique_ptr<Trainer> make_torch_trainer(const TrainerContext& context, const NetworkKind& kind,
                                            std::unique_ptr<TorchDevice> device);

// Inside a catch: throws again what is ours, and what is torch's or the library's as PartError,
// with `doing` in front.
[[noreturn]] void throw_as_part_error(const char* doing);

}  // namespace benchbench
