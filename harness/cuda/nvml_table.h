// What we use of NVML, the driver's library for monitoring, declared by ourselves and opened at run
// time.
#pragma once
#include <string>

namespace benchbench::cuda {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

using NvmlResult = int;                   // nvmlReturn_t
using NvmlDevice = struct DeviceOfNvml*;  // nvmlDevice_t
inline constexpr NvmlResult kNvmlSuccess = 0;
inline constexpr NvmlResult kNvmlNotSupported = 3;
inline constexpr NvmlResult kNvmlNotFound = 6;
inline constexpr NvmlResult kNvmlTooSmall = 7;  // NVML_ERROR_INSUFFICIENT_SIZE

// Percent of the last sample period, 1/6 s to 1 s: that anything ran, and that memory was read or
// written.
struct NvmlUtilization {
  unsigned device, memory;
};
struct NvmlMemory {  // bytes
  unsigned long long total, left, used;
};
struct NvmlProcess {
  unsigned pid;
  unsigned long long memory;  // bytes; all bits set: not known
  unsigned gpu_instance, compute_instance;
};

inline constexpr int kNvmlProcessorClock = 1, kNvmlMemoryClock = 2;  // nvmlClockType_t
inline constexpr int kNvmlCoreSensor = 0;
inline constexpr int kNvmlUncorrected = 1, kNvmlSinceReboot = 0;  // memory errors
inline constexpr int kNvmlSent = 0, kNvmlReceived = 1;            // nvmlPcieUtilCounter_t

inline constexpr const char* kNvmlProcesses = "nvmlDeviceGetComputeRunningProcesses_v3";

struct NvmlTable {
  NvmlResult (*init)();  // nvmlInit_v2; counted, each with a shutdown
  NvmlResult (*shutdown)();
  NvmlResult (*device_by_uuid)(const char* uuid, NvmlDevice* device);
  NvmlResult (*utilization)(NvmlDevice device, NvmlUtilization* percent);
  NvmlResult (*memory)(NvmlDevice device, NvmlMemory* bytes);
  NvmlResult (*clock)(NvmlDevice device, int which, unsigned* mhz);
  NvmlResult (*power)(NvmlDevice device, unsigned* milliwatts);
  NvmlResult (*temperature)(NvmlDevice device, int sensor, unsigned* celsius);
  NvmlResult (*throttle_reasons)(NvmlDevice device, unsigned long long* bits);
  NvmlResult (*ecc_errors)(NvmlDevice device, int which, int since, unsigned long long* count);
  // Null in an old library.
  NvmlResult (*processes)(NvmlDevice device, unsigned* count, NvmlProcess* processes);
  // Looks over 20 ms, during which it blocks.
  NvmlResult (*pcie)(NvmlDevice device, int way, unsigned* kb_per_second);
  NvmlResult (*mig_mode)(NvmlDevice device, unsigned* now, unsigned* after_reset);
  NvmlResult (*driver_version)(char* text, unsigned length);
  const char* (*error_text)(NvmlResult result);
};

// Fills the table; "" or why there is no NVML: the library or one of its functions is missing. Does
// not start it. The library stays open to the program's end.
std::string load_nvml(const std::string& library, NvmlTable& table);

}  // namespace benchbench::cuda
