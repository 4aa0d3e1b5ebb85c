// torch.amp.GradScaler with its defaults. Torch module only.
#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace benchbench {

// The loss is multiplied by a scale, so that gradients in half precision do not vanish; gradients
// are divided by it again, and a step whose gradients are not finite is left out and lowers the
// scale. One thread.
class GradientScaler {
 public:
  // A scale of 65536 on `device`.
  explicit GradientScaler(c10::Device device);
  at::Tensor scale(const at::Tensor& loss) const;
  // Divides the gradients by the scale, and notes whether one of them is not finite.
  void unscale(at::TensorList gradients);
  // Notes the same and leaves the gradients as they are: for an optimizer that divides itself.
  void check(at::TensorList gradients);
  // Waits for the device. True where the last gradients were not finite.
  bool found_infinity() const;
  // Halves the scale where they were not finite, doubles it after 2,000 steps of finite ones.
  void update();

  const at::Tensor& current_scale() const noexcept { return scale_; }
  const at::Tensor& infinity() const noexcept { return found_; }

 private:
  at::Tensor scale_, found_, steps_, one_;
};

}  // namespace benchbench
