// Number formats of a step. Torch module only.
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <string_view>

namespace benchbench {

// The settings of trainer.precision, as torch does them.
struct Precision {
  at::ScalarType weights = at::kFloat;  // parameters, and what the network is fed with
  std::optional<at::ScalarType> autocast =
      std::nullopt;               // torch.autocast's type in the forward pass
  bool scales_gradients = false;  // torch.amp.GradScaler
  bool tf32_convolutions = true, tf32_products = false;  // on CUDA; torch's defaults
};

// PartError where the word is none of trainer.precision's.
Precision find_precision(std::string_view word);

// torch.autocast on one kind of device until the end of its life; nothing where `type` is absent.
// The cache holds the weights that were cast: once a step, not once a use. One thread.
class Autocast {
 public:
  Autocast(c10::DeviceType device, std::optional<at::ScalarType> type);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const c10::DeviceType device_;
  const bool on_;
};

}  // namespace benchbench
