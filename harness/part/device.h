// Where steps run, and where the memory of batches comes from.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/part/accelerator.h"
#include "harness/part/batch.h"
#include "harness/part/emulated_device.h"

namespace benchbench {

class Runtime;

// What a device says of itself beside its name.
struct DeviceTraits {
  std::string uuid;                // of the hardware; "" where it has none
  std::vector<std::string> notes;  // what is not as it should be and does not make results wrong
  // The most by which kernels of a given time deviate, as calibrated; nullopt: they need no
  // calibration.
  std::optional<double> kernel_deviation_share;
};

// One a trial, made by the harness from trainer.device before all other parts, and destroyed after
// them. The trial's thread makes all calls.
class Device {
 public:
  virtual ~Device() = default;
  // Both valid as long as the device.
  virtual std::string_view name() const noexcept = 0;   // "cpu", "emulated", "cuda:0"
  virtual std::string_view model() const noexcept = 0;  // of the hardware
  // Memory for batches, at least 64-byte aligned. Of the host's: huge pages advised, zeroed pages
  // already touched so that no fault falls into a window. Memory::device is not the host's to
  // touch. Never nullptr, for 0 bytes neither. Throws DeviceError where this device has no such
  // memory (the CPU has Memory::host only), PartError where there is not enough of it.
  virtual std::byte* allocate(std::size_t bytes, Memory where) = 0;
  // What allocate() gave, with the same `bytes` and `where`. Nothing for nullptr.
  virtual void deallocate(std::byte* data, std::size_t bytes, Memory where) noexcept = 0;
  // Where the device has memory of its own; nullptr of the CPU, where batches stay where they are.
  // Valid as long as the device.
  virtual Accelerator* accelerator() noexcept { return nullptr; }
  // As known now: notes come as memory is allocated.
  virtual DeviceTraits traits() const { return {}; }
};

// The host's processor. Has Memory::host only. `touch`: its pages are faulted in as it is
// allocated, so that no window pays for it; where nobody pays, in virtual time, most of them are
// never needed.
std::unique_ptr<Device> make_cpu_device(bool touch = true);

// An accelerator that takes the time of `figures` and nothing else; its work needs no core of the
// host, but where bytes are to be moved. Exact in virtual time. The runtime outlives it. `touch` as
// for the CPU.
std::unique_ptr<Device> make_emulated_device(const EmulatedFigures& figures, Runtime& runtime,
                                             bool touch = true);

}  // namespace benchbench
