#include "scenarios/trainers/gradient_scaler.h"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>

namespace benchbench {

namespace {

at::Tensor make_number(double value, at::ScalarType type, c10::Device device) {
  return at::full({1}, value, at::TensorOptions(type).device(device));
}

}  // namespace

GradientScaler::GradientScaler(c10::Device device)
    : scale_(make_number(65536, at::kFloat, device)),
      found_(make_number(0, at::kFloat, device)),
      steps_(make_number(0, at::kInt, device)),
      one_(make_number(1, at::kFloat, device)) {}

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
