// What the link between host and device, and the device's own memory, can do at most.
#pragma once
#include "harness/cuda/cuda_device.h"
#include "harness/cuda/nvml_probe.h"

namespace benchbench::cuda {

// Bytes of a copy: pageable ones are slower where they are larger.
inline constexpr std::size_t kLinkCopyBytes = std::size_t{64} << 20;

// Bytes per second, the best of several tries; 0: not measured, here and below.
struct LinkSpeeds {
  double to_device = 0, from_device = 0;  // pinned memory
  double pageable_to_device = 0, pageable_from_device = 0;
  double memory = 0;  // of the device, read by a kernel; needs kernels
  double clock = 0;   // Hz, while all processors read memory, as NVML has it; needs kernels
};

// Takes about a second, 64 MiB of the device's memory and as much pinned and other memory of the
// host. `probe` may be null.
LinkSpeeds measure_link(CudaDevice& device, const NvmlProbe* probe, Runtime& runtime);

}  // namespace benchbench::cuda
