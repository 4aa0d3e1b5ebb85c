// What libbenchbench_cuda.so exports beside its (empty) table of parts: how the program makes
// devices and probes without linking it.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/cuda/cuda_device.h"
#include "harness/cuda/link_speed.h"
#include "harness/cuda/nvml_probe.h"

namespace benchbench::cuda {

// Constant, valid to the program's end. Found with dlsym by kCudaEntry, after the module's `seam`
// was compared.
struct CudaEntry {
  const char* seam;
  std::unique_ptr<CudaDevice> (*make_device)(int ordinal, const CudaOptions& options,
                                             Runtime& runtime);
  std::unique_ptr<NvmlProbe> (*make_probe)(const std::string& uuid, const std::string& library);
  // All cards that NVML has, without the driver.
  std::vector<NvmlCard> (*list_cards)(const std::string& library);
  // All devices that the driver has, without a context on any. DeviceError where there is none.
  std::vector<CudaFacts> (*survey)(const CudaOptions& options);
  LinkSpeeds (*measure_link)(CudaDevice& device, const NvmlProbe* probe, Runtime& runtime);
  KernelImage kernels;  // empty in a build without nvcc
};
inline constexpr const char* kCudaEntry = "benchbench_cuda_entry";

}  // namespace benchbench::cuda

extern "C" const benchbench::cuda::CudaEntry* benchbench_cuda_entry();
