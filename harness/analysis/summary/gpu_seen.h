// The card that a point's steps ran on, whoever ran them.
#pragma once
#include <optional>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// The GPU that the base's steps ran on, and what NVML does not say of it: no rule judges that.
struct GpuSeen {
  std::string name, model, uuid;  // "cuda:0", "NVIDIA H100 80GB HBM3"
  std::optional<bool> divided;    // MIG: it is a part of a GPU
  std::string absent;             // why NVML was not asked; "" where it was
  bool users_known = false, slowing_known = false, errors_known = false;
  // Means over the windows of its pipeline, else of its trainer: facts, of which none is a doubt.
  std::optional<double> clock_hertz = {}, clock_share = {};  // the share of that in machine.yaml
  std::optional<double> power_capped_share = {}, joules_per_sample = {};
  std::optional<double> power_limit_watts = {};
  std::optional<std::uint64_t> pcie_generation = {}, pcie_width = {};
};

// Returns it as the usable records of the point's steps have it; nullopt where none names a card,
// as on the emulated device. What one of them does not say is not known.
std::optional<GpuSeen> see_gpu(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
