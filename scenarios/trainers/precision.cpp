#include "scenarios/trainers/precision.h"

#include <ATen/autocast_mode.h>

#include <string>

#include "harness/core/error.h"

namespace benchbench {

Precision find_precision(std::string_view word) {
  if (word == "fp32") return {};
  if (word == "ieee") return {.tf32_convolutions = false};
  if (word == "tf32") return {.tf32_products = true};
  if (word == "bf16-mixed") return {.autocast = at::kBFloat16};
  if (word == "fp16-mixed") return {.autocast = at::kHalf, .scales_gradients = true};
  if (word == "bf16-true") return {.weights = at::kBFloat16};
  throw PartError("no precision " + std::string(word));
}

Autocast::Autocast(c10::DeviceType device, std::optional<at::ScalarType> type)
    : device_(device), on_(type.has_value()) {
  if (!on_) return;
  at::autocast::set_autocast_dtype(device, *type);
  at::autocast::set_autocast_enabled(device, true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!on_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, false);
}

}  // namespace benchbench
