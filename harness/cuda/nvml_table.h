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

// nvmlTemperature_t, of version 1.
struct NvmlTemperature {
  unsigned version;
  int sensor;
  int celsius;
};
inline constexpr unsigned kNvmlTemperatureVersion = 0x0100'000C;  // 1, and the struct's 12 bytes

inline constexpr const char* kNvmlProcesses = "nvmlDeviceGetComputeRunningProcesses_v3";
inline constexpr const char* kNvmlEventReasons = "nvmlDeviceGetCurrentClocksEventReasons";
inline constexpr const char* kNvmlThrottleReasons = "nvmlDeviceGetCurrentClocksThrottleReasons";
inline constexpr const char* kNvmlTemperatureV = "nvmlDeviceGetTemperatureV";

// The first four are in every library. Each of the others is null where a library lacks it: newer
// drivers drop older names, older ones lack newer names.
struct NvmlTable {
  NvmlResult (*init)();  // nvmlInit_v2; counted, each with a shutdown
  NvmlResult (*shutdown)();
  NvmlResult (*device_by_uuid)(const char* uuid, NvmlDevice* device);
  const char* (*error_text)(NvmlResult result);

  NvmlResult (*device_count)(unsigned* count);
  NvmlResult (*device_by_index)(unsigned index, NvmlDevice* device);
  NvmlResult (*uuid)(NvmlDevice device, char* text, unsigned length);
  NvmlResult (*model)(NvmlDevice device, char* text, unsigned length);
  NvmlResult (*utilization)(NvmlDevice device, NvmlUtilization* percent);
  NvmlResult (*memory)(NvmlDevice device, NvmlMemory* bytes);
  NvmlResult (*clock)(NvmlDevice device, int which, unsigned* mhz);
  NvmlResult (*power)(NvmlDevice device, unsigned* milliwatts);
  NvmlResult (*power_limit)(NvmlDevice device, unsigned* milliwatts);
  NvmlResult (*energy)(NvmlDevice device, unsigned long long* millijoules);
  NvmlResult (*temperature_v)(NvmlDevice device, NvmlTemperature* temperature);
  NvmlResult (*temperature)(NvmlDevice device, int sensor, unsigned* celsius);
  NvmlResult (*event_reasons)(NvmlDevice device, unsigned long long* bits);
  NvmlResult (*throttle_reasons)(NvmlDevice device, unsigned long long* bits);  // the older name
  NvmlResult (*ecc_errors)(NvmlDevice device, int which, int since, unsigned long long* count);
  NvmlResult (*processes)(NvmlDevice device, unsigned* count, NvmlProcess* processes);
  // Looks over 20 ms, during which it blocks.
  NvmlResult (*pcie)(NvmlDevice device, int way, unsigned* kb_per_second);
  NvmlResult (*pcie_generation)(NvmlDevice device, unsigned* generation);
  NvmlResult (*pcie_width)(NvmlDevice device, unsigned* lanes);
  NvmlResult (*mig_mode)(NvmlDevice device, unsigned* now, unsigned* after_reset);
  NvmlResult (*driver_version)(char* text, unsigned length);
};

// Fills the table; "" or why there is no NVML: the library, or one of the first four functions, is
// missing. Does not start it. The library stays open to the program's end.
std::string load_nvml(const std::string& library, NvmlTable& table);

}  // namespace benchbench::cuda
