#include "scenarios/trainers/sgd.h"

#include <c10/core/GradMode.h>

namespace benchbench {

Sgd::Sgd(const Settings& settings, std::span<const NamedTensor> parameters)
    : learning_rate_(settings.real("learning_rate")),
      momentum_(settings.real("momentum")),
      weight_decay_(settings.real("weight_decay")) {
  for (const NamedTensor& p : parameters) moved_.push_back({p.tensor, {}});
}

void Sgd::step() {
  const c10::NoGradGuard no_grad;
  for (Moved& m : moved_) {
    at::Tensor change = m.parameter.grad();
    if (!change.defined()) continue;
    if (weight_decay_ != 0) change = change.add(m.parameter, weight_decay_);
    if (momentum_ != 0) {
      m.momentum = m.momentum.defined() ? m.momentum.mul_(momentum_).add_(change) : change.clone();
      change = m.momentum;
    }
    m.parameter.add_(change, -learning_rate_);
    m.parameter.mutable_grad().reset();
  }
}

}  // namespace benchbench
