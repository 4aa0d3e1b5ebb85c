// SGD with momentum and weight decay, as torch.optim.SGD does it on the CPU. Torch module only.
#pragma once
#include <span>
#include <vector>

#include "harness/part/settings.h"
#include "scenarios/trainers/network.h"

namespace benchbench {

// A loop over the parameters, torch's own default on a CPU. Moves each by its gradient and forgets
// the gradient (zero_grad(set_to_none=True)).
class Sgd {
 public:
  Sgd() = default;
  Sgd(const Settings& settings, std::span<const NamedTensor> parameters);
  void step();

 private:
  struct Moved {
    at::Tensor parameter;
    at::Tensor momentum;  // undefined before the first step
  };
  double learning_rate_ = 0, momentum_ = 0, weight_decay_ = 0;
  std::vector<Moved> moved_;
};

}  // namespace benchbench
