// What the driver made and takes back.
#pragma once
#include <utility>

#include "harness/cuda/driver_api.h"

namespace benchbench::cuda {

// One handle, given back at the end by the driver's call `GiveBack`, whose refusal is ignored:
// after a broken context all refuse. The driver's table outlives it. Move-only. One thread at a
// time.
template <class Handle, auto GiveBack>
class Owned {
 public:
  Owned() = default;
  Owned(const DriverTable& driver, Handle handle) noexcept : driver_(&driver), handle_(handle) {}
  Owned(Owned&& o) noexcept : driver_(o.driver_), handle_(std::exchange(o.handle_, Handle{})) {}
  Owned& operator=(Owned&& o) noexcept {
    std::swap(driver_, o.driver_);
    std::swap(handle_, o.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) (void)(driver_->*GiveBack)(handle_);
  }
  Handle get() const noexcept { return handle_; }

 private:
  const DriverTable* driver_ = nullptr;
  Handle handle_{};
};

using OwnedStream = Owned<Stream, &DriverTable::stream_destroy>;
using OwnedEvent = Owned<Event, &DriverTable::event_destroy>;
using OwnedModule = Owned<Module, &DriverTable::module_unload>;
using OwnedMemory = Owned<DevicePointer, &DriverTable::memory_free>;

// DeviceError where the driver refuses; the context must be the calling thread's.
OwnedStream make_owned_stream(const DriverTable& driver);
OwnedEvent make_owned_event(const DriverTable& driver, unsigned flags);

}  // namespace benchbench::cuda
