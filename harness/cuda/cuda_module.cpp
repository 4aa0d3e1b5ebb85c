#include "harness/cuda/cuda_module.h"

#include "harness/part/module.h"

extern "C" const benchbench::ModuleTable* benchbench_module() {
  static const benchbench::ModuleTable table{BENCHBENCH_SEAM, BENCHBENCH_MODULE_REQUIREMENT,
                                             nullptr, 0};
  return &table;
}

extern "C" const benchbench::cuda::CudaEntry* benchbench_cuda_entry() {
  using namespace benchbench::cuda;
  static const CudaEntry entry{BENCHBENCH_SEAM,   make_cuda_device,    make_nvml_probe,
                               list_nvml_cards,   survey_cuda_devices, measure_link,
                               built_in_kernels()};
  return &entry;
}
