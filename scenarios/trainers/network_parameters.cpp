#include "scenarios/trainers/network_parameters.h"

#include "harness/core/error.h"
#include "harness/part/settings.h"

namespace benchbench {

void check_network(const Settings& settings) {
  const std::string_view precision = settings.text("precision");
  if (precision == "tf32" && settings.text("device") == "cpu")
    throw ScenarioError(
        "trainer.precision: tf32 is a number format of CUDA devices, not of the CPU",
        "set trainer.precision: fp32");
  const bool fused = settings.has("optimizer") && settings.text("optimizer") == "fused";
  // With 16 and more weights of bfloat16, torch 2.11's kernel moves some by other amounts than its
  // loop does: by 2 after five steps with gradients of about 1.
  if (fused && precision == "bf16-true" && settings.text("device") == "cpu")
    throw ScenarioError(
        "torch's fused optimizer moves weights of trainer.precision: bf16-true wrongly on the CPU",
        "set trainer.optimizer: foreach");
  if (settings.boolean("graph") && precision == "fp16-mixed" && !fused &&
      settings.text("pass") == "train")
    throw ScenarioError(
        "trainer.graph cannot capture trainer.precision: fp16-mixed with an optimizer that asks "
        "the host whether to leave the step out",
        "set trainer.optimizer: fused");
}

}  // namespace benchbench
