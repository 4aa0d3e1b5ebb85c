// Where steps run, and where the memory of batches comes from. The harness allocates and uploads through it; for the
// CPU an upload is the identity.
#pragma once
#include <memory>
#include <string_view>

#include "harness/part/batch.h"
#include "harness/part/stage_meter.h"

namespace benchbench {

// One a trial, made by the harness from trainer.device before all other parts, and destroyed after them. The trial's
// thread makes all calls.
class Device {
 public:
  virtual ~Device() = default;
  // Both valid as long as the device.
  virtual std::string_view name() const noexcept = 0;     // "cpu", "cuda:0"
  virtual std::string_view model() const noexcept = 0;    // of the hardware
  // Memory for slots, at least 64-byte aligned, huge pages advised, zeroed pages already touched so that no fault
  // falls into a window. Never nullptr, for 0 bytes neither. Throws DeviceError where this device has no such memory
  // ("pinned" without CUDA), PartError where there is not enough of it.
  virtual std::byte* allocate(std::size_t bytes, Memory where) = 0;
  // What allocate() gave, with the same `bytes` and `where`. Nothing for nullptr.
  virtual void deallocate(std::byte* data, std::size_t bytes, Memory where) noexcept = 0;
  // Brings a batch to where the trainer wants it, just before its step. On the CPU the same lease. A device with
  // memory of its own returns a lease of that, with ready() where the copy is under way, and bills what it waits for
  // to `h2d`.
  virtual BatchLease upload(BatchLease batch, StageMeter& meter, StepNumber step) = 0;
};

// The host's processor. Has Memory::host only. `touch`: its pages are faulted in as it is allocated, so that no window pays
// for it; where nobody pays, in virtual time, most of them are never needed.
std::unique_ptr<Device> make_cpu_device(bool touch = true);

}  // namespace benchbench
