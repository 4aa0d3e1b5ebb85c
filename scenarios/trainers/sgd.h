// SGD with momentum and weight decay, as torch.optim.SGD does it. Torch module only.
#pragma once
#include <span>
#include <vector>

#include "harness/part/settings.h"
#include "scenarios/trainers/gradient_scaler.h"
#include "scenarios/trainers/network.h"

namespace benchbench {

// torch.optim.SGD's foreach and fused: one operation for each tensor, for all tensors, or for the
// whole step.
enum class OptimizerLoop : std::uint8_t { loop, foreach, fused };

// trainer.optimizer, or torch's own choice: foreach on CUDA, loop on the CPU.
OptimizerLoop find_loop(const Settings& settings, c10::Device device);

// Moves each parameter that has a gradient, and forgets the gradient
// (zero_grad(set_to_none=True)). One thread.
class Sgd {
 public:
  Sgd(const Settings& settings, std::span<const NamedTensor> parameters, OptimizerLoop loop);
  // `scaler`: the loss was scaled by it; nullptr where it was not. Waits for the device where there
  // is one and the step is not fused, as GradScaler.step() does.
  void step(GradientScaler* scaler);

 private:
  void collect();
  void move_one_by_one();
  void move_together();
  void move_fused(const GradientScaler* scaler);

  const double learning_rate_, momentum_, weight_decay_;
  const OptimizerLoop loop_;
  std::vector<at::Tensor> all_;
  // Those with a gradient in this step; the momenta are theirs from the first step on.
  std::vector<at::Tensor> moved_, gradients_, momenta_;
};

}  // namespace benchbench
