// The device's primary context: the one that libtorch and other users of the CUDA runtime in this
// process share with us.
#pragma once
#include <cstdint>

#include "harness/cuda/driver_api.h"

namespace benchbench::cuda {

// Retained from construction to destruction. The table outlives it. enter() from any thread.
class PrimaryContext {
 public:
  // DeviceError where the driver refuses (an exclusive device that another process has, say). The
  // calling thread has it then.
  PrimaryContext(const DriverTable& driver, DeviceId device);
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext();
  // Makes it the calling thread's; costs a comparison where that thread has entered it before, so
  // between two calls no other code may leave another device's context on the thread.
  void enter() const {
    if (entered_ != id_) [[unlikely]]
      enter_first();
  }

 private:
  void enter_first() const;
  static thread_local std::uint64_t entered_;  // id of the context that this thread has
  const DriverTable& driver_;
  const DeviceId device_;
  // No other context of this process has it: the driver gives a handle out again.
  const std::uint64_t id_;
  Context context_ = nullptr;
};

}  // namespace benchbench::cuda
