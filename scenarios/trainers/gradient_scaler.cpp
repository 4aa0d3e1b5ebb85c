#include "scenarios/trainers/gradient_scaler.h"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>

namespace benchbench {

GradientScaler::GradientScaler(c10::Device device)
    : scale_(at::full({1}, 65536.0, at::TensorOptions(at::kFloat).device(device))),
      found_(at::full({1}, 0.0, at::TensorOptions(at::kFloat).device(device))),
      steps_(at::full({1}, 0, at::TensorOptions(at::kInt).device(device))),
      one_(at::full({1}, 1.0, at::TensorOptions(at::kFloat).device(device))) {}

at::Tensor GradientScaler::scale(const at::Tensor& loss) const {
  return loss.mul(scale_.squeeze());
}

void GradientScaler::unscale(at::TensorList gradients) {
  found_.zero_();
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_, scale_.reciprocal());
}

void GradientScaler::check(at::TensorList gradients) {
  found_.zero_();
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_, one_);
}

bool GradientScaler::found_infinity() const { return found_.item<float>() != 0; }

void GradientScaler::update() { at::_amp_update_scale_(scale_, steps_, found_, 2.0, 0.5, 2000); }

}  // namespace benchbench
