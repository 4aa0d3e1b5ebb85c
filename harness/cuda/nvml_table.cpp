#include "harness/cuda/nvml_table.h"

#include <fmt/format.h>

#include "harness/cuda/shared_library.h"

namespace benchbench::cuda {

std::string load_nvml(const std::string& library, NvmlTable& t) {
  const OpenedLibrary opened = open_library(library);
  if (!opened.handle)
    return fmt::format("cannot open NVML's library {}: {}", library, opened.refusal);
  const WantedSymbol needed[] = {
      wanted("nvmlInit_v2", t.init),
      wanted("nvmlShutdown", t.shutdown),
      wanted("nvmlDeviceGetHandleByUUID", t.device_by_uuid),
      wanted("nvmlErrorString", t.error_text),
  };
  const WantedSymbol others[] = {
      wanted("nvmlDeviceGetCount_v2", t.device_count),
      wanted("nvmlDeviceGetHandleByIndex_v2", t.device_by_index),
      wanted("nvmlDeviceGetUUID", t.uuid),
      wanted("nvmlDeviceGetName", t.model),
      wanted("nvmlDeviceGetUtilizationRates", t.utilization),
      wanted("nvmlDeviceGetMemoryInfo", t.memory),
      wanted("nvmlDeviceGetClockInfo", t.clock),
      wanted("nvmlDeviceGetPowerUsage", t.power),
      wanted("nvmlDeviceGetEnforcedPowerLimit", t.power_limit),
      wanted("nvmlDeviceGetTotalEnergyConsumption", t.energy),
      wanted(kNvmlTemperatureV, t.temperature_v),
      wanted("nvmlDeviceGetTemperature", t.temperature),
      wanted(kNvmlEventReasons, t.event_reasons),
      wanted(kNvmlThrottleReasons, t.throttle_reasons),
      wanted("nvmlDeviceGetTotalEccErrors", t.ecc_errors),
      wanted(kNvmlProcesses, t.processes, "nvmlDeviceGetComputeRunningProcesses_v2"),
      wanted("nvmlDeviceGetPcieThroughput", t.pcie),
      wanted("nvmlDeviceGetCurrPcieLinkGeneration", t.pcie_generation),
      wanted("nvmlDeviceGetCurrPcieLinkWidth", t.pcie_width),
      wanted("nvmlDeviceGetMigMode", t.mig_mode),
      wanted("nvmlSystemGetDriverVersion", t.driver_version),
  };
  for (const WantedSymbol& one : others) (void)find_symbols(opened.handle, {&one, 1});
  const std::string missing = find_symbols(opened.handle, needed);
  return missing.empty()
             ? ""
             : fmt::format(
                   "NVML's library {} has no function {}: a driver of CUDA 11.0 or newer has it",
                   library, missing);
}

}  // namespace benchbench::cuda
