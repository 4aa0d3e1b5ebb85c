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
  // Makes it the calling thread's. The driver is asked each time, which is a look at the thread's
  // own memory: other code may leave another device's context on the thread.
  void enter() const {
    if (entered_ != id_ || !is_current()) [[unlikely]]
      enter_anew();
  }
  // For what gives something back: a driver that refuses will refuse that too.
  void try_to_enter() const noexcept;
  const DriverTable& driver() const noexcept { return driver_; }

 private:
  bool is_current() const noexcept;
  void enter_anew() const;
  static thread_local std::uint64_t entered_;  // id of the context that this thread has
  const DriverTable& driver_;
  const DeviceId device_;
  // No other context of this process has it: the driver gives a handle out again.
  const std::uint64_t id_;
  Context context_ = nullptr;
};

}  // namespace benchbench::cuda
