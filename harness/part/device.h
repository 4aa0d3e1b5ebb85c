// Where steps run. The harness uploads through it; cpu is the identity.
#pragma once
#include <memory>
#include <string_view>

#include "harness/part/batch.h"
#include "harness/part/stage_meter.h"

namespace benchbench {

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const noexcept = 0;     // "cpu", "cuda:0"
  virtual std::string_view model() const noexcept = 0;    // of the hardware
  // Memory for slots, at least 64-byte aligned, huge pages advised, zeroed pages already touched so that no fault falls
  // into a window. Throws DeviceError where this device has no such memory ("pinned" without CUDA).
  virtual std::byte* allocate(std::size_t bytes, Memory where) = 0;
  virtual void deallocate(std::byte* data, std::size_t bytes, Memory where) noexcept = 0;
  // Brings a host batch to where the trainer wants it. On the CPU the same lease.
  virtual BatchLease upload(BatchLease batch, StageMeter& meter, StepNumber step) = 0;
};

std::unique_ptr<Device> make_cpu_device();

}  // namespace benchbench
