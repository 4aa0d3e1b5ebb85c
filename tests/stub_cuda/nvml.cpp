// NVML of our own: fixed values of one device, and calls that fail as the environment says.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "tests/stub_cuda/contexts.h"
#include "tests/stub_cuda/nvml_state.h"

using namespace benchbench::cuda;
using namespace benchbench::stub_nvml;

BENCHBENCH_STUB_EXPORT NvmlResult nvmlInit_v2() {
  const std::lock_guard held(state().lock);
  if (state().started == 0) state().users_asked = state().errors_asked = 0;
  state().settings = benchbench::stub_cuda::read_settings();
  state().failing = state().settings.failing;
  const int result = state().failing.failure_of("nvmlInit_v2");
  if (result == 0) ++state().started;
  return result;
}

BENCHBENCH_STUB_EXPORT NvmlResult nvmlShutdown() {
  const std::lock_guard held(state().lock);
  if (state().started == 0) return 1;
  --state().started;
  return kNvmlSuccess;
}

// For tests: inits without a shutdown.
BENCHBENCH_STUB_EXPORT int benchbench_stub_nvml_started() { return state().started; }

// Device 0 by its UUID as a whole, device 1 as a part of a divided one.
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetHandleByUUID(const char* uuid, NvmlDevice* device) {
  const std::string_view text = uuid;
  const bool known = text == "GPU-00112233-4455-6677-8899-aabbccddee00" ||
                     text == "MIG-00112233-4455-6677-8899-aabbccddee01";
  const NvmlResult refused = refusal("nvmlDeviceGetHandleByUUID");
  if (refused != kNvmlSuccess) return refused;
  if (!known) return kNvmlNotFound;
  *device = reinterpret_cast<NvmlDevice>(&state());
  return kNvmlSuccess;
}

BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetUtilizationRates(NvmlDevice, NvmlUtilization* to) {
  return give("nvmlDeviceGetUtilizationRates", to,
              {static_cast<unsigned>(state().settings.busy), 42});
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetMemoryInfo(NvmlDevice, NvmlMemory* to) {
  return give("nvmlDeviceGetMemoryInfo", to,
              {1000, 1000 - state().settings.memory_used, state().settings.memory_used});
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetClockInfo(NvmlDevice, int which, unsigned* to) {
  return give("nvmlDeviceGetClockInfo", to,
              which == kNvmlMemoryClock ? 2619u : static_cast<unsigned>(state().settings.clock));
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetTemperature(NvmlDevice, int, unsigned* to) {
  return give("nvmlDeviceGetTemperature", to, 61u);
}
BENCHBENCH_STUB_EXPORT NvmlResult
nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice, unsigned long long* to) {
  return give("nvmlDeviceGetCurrentClocksThrottleReasons", to,
              static_cast<unsigned long long>(state().settings.throttle));
}
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetTotalEccErrors(NvmlDevice, int, int,
                                                              unsigned long long* to) {
  return give("nvmlDeviceGetTotalEccErrors", to,
              3ULL + (state().settings.ecc_grows ? state().errors_asked++ : 0));
}

namespace {

// Ten strangers: more than a caller reckons with at first. The last one's memory is not known.
std::vector<NvmlProcess> users_now() {
  const auto& s = state().settings;
  std::vector<NvmlProcess> users;
  for (unsigned i = 0; i < s.strangers; ++i)
    users.push_back({1000 + i, i + 1 < s.strangers ? 100ULL * i : ~0ULL, ~0u, ~0u});
  if (s.own && state().users_asked > 1)
    users.push_back({static_cast<unsigned>(::getpid()), 100, ~0u, ~0u});
  for (const unsigned pid : benchbench::stub_cuda::processes_with_context())
    users.push_back({pid, 100, ~0u, ~0u});
  if (s.newcomer_at > 0 && state().users_asked >= s.newcomer_at)
    users.push_back({4242, 100, ~0u, ~0u});
  return users;
}

}  // namespace

// An old library has it under an older name only.
#ifdef BENCHBENCH_STUB_OLD_NVML
#define nvmlDeviceGetComputeRunningProcesses_v3 nvmlDeviceGetComputeRunningProcesses_v2
#endif
BENCHBENCH_STUB_EXPORT NvmlResult nvmlDeviceGetComputeRunningProcesses_v3(NvmlDevice,
                                                                          unsigned* count,
                                                                          NvmlProcess* processes) {
  const NvmlResult refused = refusal("nvmlDeviceGetComputeRunningProcesses_v3");
  if (refused != kNvmlSuccess) return refused;
  ++state().users_asked;
  const unsigned room = *count;
  const std::vector<NvmlProcess> users = users_now();
  *count = static_cast<unsigned>(users.size());
  if (room < users.size()) return kNvmlTooSmall;
  auto* to = reinterpret_cast<std::byte*>(processes);
  for (const NvmlProcess& user : users) {
    std::memcpy(to, &user, sizeof user);
    to += sizeof user;
    if (state().settings.wide) std::memset(to, 0x5a, 8), to += 8;
  }
  return kNvmlSuccess;
}

BENCHBENCH_STUB_EXPORT NvmlResult nvmlSystemGetDriverVersion(char* text, unsigned length) {
  const NvmlResult refused = refusal("nvmlSystemGetDriverVersion");
  if (refused == kNvmlSuccess) std::strncpy(text, state().settings.nvml_driver.c_str(), length);
  return refused;
}

BENCHBENCH_STUB_EXPORT const char* nvmlErrorString(NvmlResult result) {
  switch (result) {
    case kNvmlNotSupported:
      return "Not Supported";
    case kNvmlNotFound:
      return "Not Found";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}
