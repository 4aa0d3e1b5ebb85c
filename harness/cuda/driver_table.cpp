#include "harness/cuda/driver_table.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/cuda/driver_error.h"
#include "harness/cuda/shared_library.h"

namespace benchbench::cuda {
namespace {

constexpr const char* kInstallHint =
    "install the NVIDIA driver, and where this is a container, give it the GPU; "
    "or use trainer.device: cpu";

// Only versioned names: without a version most are of interfaces from before CUDA 3.2, with 32-bit
// sizes.
void fill(DriverTable& t, void* library, const std::string& file) {
  const WantedSymbol symbols[] = {
      wanted("cuInit", t.init),
      wanted("cuDriverGetVersion", t.driver_version),
      wanted("cuDeviceGetCount", t.device_count),
      wanted("cuDeviceGet", t.device_get),
      wanted("cuDeviceGetName", t.device_name),
      wanted("cuDeviceGetUuid_v2", t.device_uuid, "cuDeviceGetUuid"),
      wanted("cuDeviceGetAttribute", t.device_attribute),
      wanted("cuDeviceTotalMem_v2", t.device_memory),
      wanted("cuDeviceGetPCIBusId", t.device_pci),
      wanted("cuDevicePrimaryCtxRetain", t.context_retain),
      wanted("cuDevicePrimaryCtxRelease_v2", t.context_release),
      wanted("cuCtxSetCurrent", t.context_set),
      wanted("cuCtxGetCurrent", t.context_get),
      wanted("cuMemAlloc_v2", t.memory_allocate),
      wanted("cuMemFree_v2", t.memory_free),
      wanted("cuMemGetInfo_v2", t.memory_left),
      wanted("cuMemHostRegister_v2", t.host_register),
      wanted("cuMemHostUnregister", t.host_unregister),
      wanted("cuMemcpyHtoDAsync_v2", t.copy_to_device),
      wanted("cuMemcpyDtoHAsync_v2", t.copy_to_host),
      wanted("cuStreamCreate", t.stream_create),
      wanted("cuStreamDestroy_v2", t.stream_destroy),
      wanted("cuStreamSynchronize", t.stream_synchronize),
      wanted("cuStreamWaitEvent", t.stream_wait),
      wanted("cuEventCreate", t.event_create),
      wanted("cuEventDestroy_v2", t.event_destroy),
      wanted("cuEventRecord", t.event_record),
      wanted("cuEventQuery", t.event_query),
      wanted("cuEventSynchronize", t.event_synchronize),
      wanted("cuEventElapsedTime", t.event_elapsed),
      wanted("cuModuleLoadDataEx", t.module_load),
      wanted("cuModuleUnload", t.module_unload),
      wanted("cuModuleGetFunction", t.module_function),
      wanted("cuLaunchKernel", t.launch),
      wanted("cuGetErrorName", t.error_name),
      wanted("cuGetErrorString", t.error_text),
  };
  const std::string missing = find_symbols(library, symbols);
  if (missing.empty()) return;
  throw DeviceError(
      fmt::format("the CUDA driver's library {} has no function {}", file, missing),
      fmt::format("a driver of CUDA {} or newer is needed", version_text(kLeastDriver)));
}

const char* remedy_of(Result result) noexcept {
  switch (result) {
    case kNoDevice:
      return "there is no CUDA device that this process may use: "
             "look at CUDA_VISIBLE_DEVICES and nvidia-smi";
    case kSystemNotReady:
      return "GPUs joined by NVSwitch need the service nvidia-fabricmanager, "
             "of the driver's version";
    case kOtherModule:
      return "the driver's library and its kernel module are of different versions: restart the "
             "machine after an update; in a container use the host's library, "
             "not that of a folder compat";
    case kNoForwardCompatibility:
      return "this GPU takes no library that is newer than its driver: "
             "take the folder compat out of LD_LIBRARY_PATH";
    default:
      return "look at nvidia-smi; after an update of the driver the machine must be started again";
  }
}

// cuInit fails before anything else can be asked: each reason has a remedy of its own.
void start(const Driver& driver, const std::string& file) {
  const Result result = driver.call.init(0);
  if (result == kSuccess) return;
  const std::string message = fmt::format("the CUDA driver of {} does not start: {}", file,
                                          error_text(driver.call, result));
  throw DeviceError(message, remedy_of(result));
}

std::string say_refusal(const std::string& library, const std::string& refusal) {
  return refusal.starts_with(library + ": ") && refusal.ends_with("No such file or directory")
             ? fmt::format("there is no CUDA driver here: {} was not found", library)
             : fmt::format("cannot open the CUDA driver's library {}: {}", library, refusal);
}
}  // namespace

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

Driver load_driver(const std::string& library, int least) {
  const OpenedLibrary opened = open_library(library);
  if (!opened.handle) throw DeviceError(say_refusal(library, opened.refusal), kInstallHint);
  Driver driver;
  fill(driver.call, opened.handle, library);
  start(driver, library);
  check(driver.call, driver.call.driver_version(&driver.version), "cuDriverGetVersion");
  if (driver.version < least)
    throw DeviceError(fmt::format("the CUDA driver is of version {}, which is older than {}",
                                  version_text(driver.version), version_text(least)),
                      "update the NVIDIA driver");
  return driver;
}

int device_count(const Driver& driver) {
  int count = 0;
  check(driver.call, driver.call.device_count(&count), "cuDeviceGetCount");
  return count;
}

DeviceId find_device(const Driver& driver, int ordinal) {
  const int count = device_count(driver);
  if (count <= 0)
    throw DeviceError("the CUDA driver finds no device",
                      "look at CUDA_VISIBLE_DEVICES and nvidia-smi; or use trainer.device: cpu");
  if (ordinal < 0 || ordinal >= count)
    throw DeviceError(fmt::format("there is no device cuda:{}: the CUDA driver finds {}", ordinal,
                                  counted(static_cast<std::uint64_t>(count), "device")),
                      count == 1 ? "use cuda:0" : fmt::format("use cuda:0 to cuda:{}", count - 1));
  DeviceId device = 0;
  check(driver.call, driver.call.device_get(&device, ordinal), "cuDeviceGet");
  return device;
}

}  // namespace benchbench::cuda
