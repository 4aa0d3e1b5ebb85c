#include "harness/cuda/nvml_table.h"

#include <fmt/format.h>

#include "harness/cuda/shared_library.h"

namespace benchbench::cuda {

std::string load_nvml(const std::string& library, NvmlTable& t) {
  const OpenedLibrary opened = open_library(library);
  if (!opened.handle)
    return fmt::format("cannot open NVML's library {}: {}", library, opened.refusal);
  const WantedSymbol symbols[] = {
      wanted("nvmlInit_v2", t.init),
      wanted("nvmlShutdown", t.shutdown),
      wanted("nvmlDeviceGetHandleByUUID", t.device_by_uuid),
      wanted("nvmlDeviceGetUtilizationRates", t.utilization),
      wanted("nvmlDeviceGetMemoryInfo", t.memory),
      wanted("nvmlDeviceGetClockInfo", t.clock),
      wanted("nvmlDeviceGetPowerUsage", t.power),
      wanted("nvmlDeviceGetTemperature", t.temperature),
      wanted("nvmlDeviceGetCurrentClocksThrottleReasons", t.throttle_reasons),
      wanted("nvmlDeviceGetTotalEccErrors", t.ecc_errors),
      wanted("nvmlDeviceGetPcieThroughput", t.pcie),
      wanted("nvmlDeviceGetMigMode", t.mig_mode),
      wanted("nvmlSystemGetDriverVersion", t.driver_version),
      wanted("nvmlErrorString", t.error_text),
  };
  // Drivers before CUDA 11.6 have the second alone, the first of CUDA 11 neither.
  const WantedSymbol processes[] = {
      wanted(kNvmlProcesses, t.processes, "nvmlDeviceGetComputeRunningProcesses_v2")};
  (void)find_symbols(opened.handle, processes);
  const std::string missing = find_symbols(opened.handle, symbols);
  return missing.empty()
             ? ""
             : fmt::format(
                   "NVML's library {} has no function {}: a driver of CUDA 11.0 or newer has it",
                   library, missing);
}

}  // namespace benchbench::cuda
