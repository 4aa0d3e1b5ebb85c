// What NVML says of a device beside the driver: its load, clocks, power, temperature, errors, and
// who else uses it.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cuda/nvml_table.h"

namespace benchbench::cuda {

// A value, or why there is none: "nvmlDeviceGetPowerUsage failed: Not Supported (3)".
template <class T>
struct Read {
  std::optional<T> value;
  std::string absent;  // "" where there is a value
};

// Why the processors' clock is below its most; each may be set beside others. Bits of NVML.
inline constexpr std::uint64_t kThrottleIdle = 0x1, kThrottleSettings = 0x2,
                               kThrottlePowerCap = 0x4, kThrottleHardware = 0x8,
                               kThrottleSyncBoost = 0x10, kThrottleHot = 0x20,
                               kThrottleHotHardware = 0x40, kThrottlePowerBrake = 0x80,
                               kThrottleDisplay = 0x100, kThrottleBoard = 0x200,
                               kThrottleReliability = 0x400;
// Drivers from 530 up to 535.153 write longer entries than their header has, so that only the first
// process of a list is where it should be.
bool lists_processes(std::string_view driver) noexcept;

// "power cap, hot"; "none" of 0. Unknown bits in hexadecimal.
std::string throttle_text(std::uint64_t bits);

struct NvmlUser {
  unsigned pid = 0;                     // in NVML's name space, which in a container may be another
  std::optional<std::uint64_t> memory;  // bytes
};

struct NvmlReading {
  Read<double> busy;         // share of the last sample period (1/6 s to 1 s) in which a kernel ran
  Read<double> memory_busy;  // and in which the device's memory was read or written
  Read<std::uint64_t> memory_used, memory_total;  // bytes, of all processes
  Read<unsigned> clock_mhz, memory_clock_mhz;
  Read<double> power, power_limit;         // watts; the limit is the one that holds now
  Read<double> energy;                     // joules since the driver was loaded
  Read<unsigned> temperature;              // degrees Celsius
  Read<std::uint64_t> throttle;            // kThrottle...
  Read<std::uint64_t> uncorrected_errors;  // of its memory, since the driver was loaded
  Read<std::vector<NvmlUser>> users;       // processes that compute on it, ours too
  Read<double> sent, received;             // bytes per second over PCIe, as the device sees it
  // The PCIe link is as it is now: an idle device may have slowed it down.
  Read<unsigned> pcie_generation, pcie_width;
  Read<bool> divided;  // MIG
};

// One device. Calls from one thread at a time; they do not need the driver's context.
class NvmlProbe {
 public:
  virtual ~NvmlProbe() = default;
  // "": NVML is there and knows the device. Else why not, and every value of read() is absent for
  // that reason.
  virtual const std::string& absent() const noexcept = 0;
  // "535.104.05".
  virtual const Read<std::string>& driver() const noexcept = 0;
  // Takes about 1 ms, with `pcie` 40 ms more, in which NVML counts; without, sent and received are
  // absent.
  virtual NvmlReading read(bool pcie) const = 0;
  // Returns the users alone, as read() has them: one call of NVML.
  virtual Read<std::vector<NvmlUser>> read_users() const { return read(false).users; }
};

// A card of the machine, whether CUDA may use it here or not.
struct NvmlCard {
  std::string uuid;  // as in CudaFacts
  std::string model;
};
// Returns all that NVML knows; none where there is no NVML. Asks no CUDA driver.
std::vector<NvmlCard> list_nvml_cards(const std::string& library = kNvmlLibrary);

// Never throws for what is missing. `uuid` as in CudaFacts.
std::unique_ptr<NvmlProbe> make_nvml_probe(const std::string& uuid,
                                           const std::string& library = kNvmlLibrary);

}  // namespace benchbench::cuda
