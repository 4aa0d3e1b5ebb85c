#include <fmt/format.h>

#include "harness/cuda/nvml_probe.h"

namespace benchbench::cuda {

std::string throttle_text(std::uint64_t bits) {
  static constexpr struct {
    std::uint64_t bit;
    std::string_view word;
  } kWords[] = {{kThrottleIdle, "idle"},
                {kThrottleSettings, "application clocks"},
                {kThrottlePowerCap, "power cap"},
                {kThrottleHardware, "hardware"},
                {kThrottleSyncBoost, "sync boost"},
                {kThrottleHot, "hot"},
                {kThrottleHotHardware, "too hot"},
                {kThrottlePowerBrake, "power brake"},
                {kThrottleDisplay, "display clocks"},
                {kThrottleBoard, "board limit"},
                {kThrottleReliability, "reliability"}};
  std::string text;
  const auto add = [&text](std::string_view word) {
    text.append(text.empty() ? "" : ", ").append(word);
  };
  for (const auto& [bit, word] : kWords) {
    if (bits & bit) add(word);
    bits &= ~bit;
  }
  if (bits) add(fmt::format("{:#x}", bits));
  return text.empty() ? "none" : text;
}

}  // namespace benchbench::cuda
