// Functions of NVML that the stub's old library lacks.
#include <cstring>

#include "tests/stub_cuda/nvml_state.h"

using namespace benchbench::cuda;
using namespace benchbench::stub_nvml;

BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetCount_v2(unsigned* to) {
  return give("nvmlDeviceGetCount_v2", to, 1u);
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetHandleByIndex_v2(unsigned, NvmlDevice* to) {
  return give("nvmlDeviceGetHandleByIndex_v2", to, reinterpret_cast<NvmlDevice>(&state()));
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetUUID(NvmlDevice, char* text, unsigned length) {
  std::strncpy(text, "GPU-00112233-4455-6677-8899-aabbccddee00", length);
  return refusal("nvmlDeviceGetUUID");
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetName(NvmlDevice, char* text, unsigned length) {
  std::strncpy(text, state().settings.name.c_str(), length);
  return refusal("nvmlDeviceGetName");
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetPowerUsage(NvmlDevice, unsigned* to) {
  return give("nvmlDeviceGetPowerUsage", to, 345'678u);
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetPcieThroughput(NvmlDevice, int way, unsigned* to) {
  return give("nvmlDeviceGetPcieThroughput", to, way == kNvmlSent ? 1'000u : 25'000'000u);
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetMigMode(NvmlDevice, unsigned* now, unsigned* after) {
  *after = 1;
  return give("nvmlDeviceGetMigMode", now, 0u);
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetEnforcedPowerLimit(NvmlDevice, unsigned* to) {
  return give("nvmlDeviceGetEnforcedPowerLimit", to, 700'000u);
}
// Each question finds 30 J more than the one before.
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetTotalEnergyConsumption(NvmlDevice,
                                                                      unsigned long long* to) {
  return give("nvmlDeviceGetTotalEnergyConsumption", to, 30'000ULL * ++state().energy_asked);
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetTemperatureV(NvmlDevice, NvmlTemperature* to) {
  if (to->version != kNvmlTemperatureVersion) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  return give("nvmlDeviceGetTemperatureV", &to->celsius, 61);
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetCurrentClocksEventReasons(NvmlDevice,
                                                                         unsigned long long* to) {
  return give("nvmlDeviceGetCurrentClocksEventReasons", to,
              static_cast<unsigned long long>(state().settings.throttle));
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetCurrPcieLinkGeneration(NvmlDevice, unsigned* to) {
  return give("nvmlDeviceGetCurrPcieLinkGeneration", to, 5u);
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetCurrPcieLinkWidth(NvmlDevice, unsigned* to) {
  return give("nvmlDeviceGetCurrPcieLinkWidth", to, 16u);
}
