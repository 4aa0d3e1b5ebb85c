#include "scenarios/trainers/sgd.h"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

namespace benchbench {

OptimizerLoop find_loop(const Settings& settings, c10::Device device) {
  if (!settings.has("optimizer"))
    return device.is_cuda() ? OptimizerLoop::foreach : OptimizerLoop::loop;
  const std::string_view word = settings.text("optimizer");
  if (word == "foreach") return OptimizerLoop::foreach;
  return word == "fused" ? OptimizerLoop::fused : OptimizerLoop::loop;
}

Sgd::Sgd(const Settings& settings, std::span<const NamedTensor> parameters, OptimizerLoop loop)
    : learning_rate_(settings.real("learning_rate")),
      momentum_(settings.real("momentum")),
      weight_decay_(settings.real("weight_decay")),
      loop_(loop) {
  for (const NamedTensor& p : parameters) all_.push_back(p.tensor);
}

void Sgd::step(GradientScaler* scaler) {
  const c10::NoGradGuard no_grad;
  collect();
  if (loop_ == OptimizerLoop::fused) {
    if (scaler) scaler->check(gradients_);
    move_fused(scaler);
  } else {
    if (scaler) scaler->unscale(gradients_);
    if (!scaler || !scaler->found_infinity())
      loop_ == OptimizerLoop::loop ? move_one_by_one() : move_together();
  }
  if (scaler) scaler->update();
  gradients_.clear();
  for (at::Tensor& parameter : moved_) parameter.mutable_grad().reset();
}

// A parameter has a gradient in every step or in none: its momentum keeps its place.
void Sgd::collect() {
  moved_.clear();
  for (at::Tensor& parameter : all_) {
    if (!parameter.grad().defined()) continue;
    moved_.push_back(parameter);
    gradients_.push_back(parameter.grad());
  }
}

// Writes into the gradients, which nothing reads afterwards; a first one becomes the momentum.
void Sgd::move_one_by_one() {
  const bool first = momenta_.empty();
  for (std::size_t i = 0; i < moved_.size(); ++i) {
    at::Tensor change = gradients_[i];
    if (weight_decay_ != 0) change.add_(moved_[i], weight_decay_);
    if (momentum_ != 0) {
      if (first)
        momenta_.push_back(change);
      else
        change = momenta_[i].mul_(momentum_).add_(change);
    }
    moved_[i].add_(change, -learning_rate_);
  }
}

void Sgd::move_together() {
  if (weight_decay_ != 0) at::_foreach_add_(gradients_, moved_, weight_decay_);
  if (momentum_ != 0 && momenta_.empty()) {
    momenta_ = gradients_;
  } else if (momentum_ != 0) {
    at::_foreach_mul_(momenta_, momentum_);
    at::_foreach_add_(momenta_, gradients_);
  }
  at::_foreach_add_(moved_, momentum_ != 0 ? momenta_ : gradients_, -learning_rate_);
}

void Sgd::move_fused(const GradientScaler* scaler) {
  // The kernel leaves them as they are where the first gradients are not finite: no momentum yet is
  // 0.
  if (momenta_.empty() && momentum_ != 0)
    for (const at::Tensor& gradient : gradients_) momenta_.push_back(at::zeros_like(gradient));
  std::optional<at::Tensor> scale, infinity;
  if (scaler) scale = scaler->current_scale(), infinity = scaler->infinity();
  at::_fused_sgd_(moved_, gradients_, momenta_, weight_decay_, momentum_, learning_rate_, 0, false,
                  false, false, scale, infinity);
}

}  // namespace benchbench
