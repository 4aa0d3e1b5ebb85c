// What the driver made and takes back.
#pragma once
#include <utility>

#include "harness/core/units.h"
#include "harness/cuda/primary_context.h"

namespace benchbench::cuda {

// One handle, given back at the end by the driver's call `GiveBack`, whose refusal is ignored:
// after a broken context all refuse. The context that it was made in outlives it, and is then the
// calling thread's, whichever that is. Move-only. One thread at a time.
template <class Handle, auto GiveBack>
class Owned {
 public:
  Owned() = default;
  Owned(const PrimaryContext& context, Handle handle) noexcept
      : context_(&context), handle_(handle) {}
  Owned(Owned&& o) noexcept : context_(o.context_), handle_(std::exchange(o.handle_, Handle{})) {}
  Owned& operator=(Owned&& o) noexcept {
    std::swap(context_, o.context_);
    std::swap(handle_, o.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ == Handle{}) return;
    context_->try_to_enter();
    (void)(context_->driver().*GiveBack)(handle_);
  }
  Handle get() const noexcept { return handle_; }

 private:
  const PrimaryContext* context_ = nullptr;
  Handle handle_{};
};

using OwnedStream = Owned<Stream, &DriverTable::stream_destroy>;
using OwnedEvent = Owned<Event, &DriverTable::event_destroy>;
using OwnedModule = Owned<Module, &DriverTable::module_unload>;
using OwnedMemory = Owned<DevicePointer, &DriverTable::memory_free>;

// DeviceError where the driver refuses; the context must be the calling thread's.
OwnedStream make_owned_stream(const PrimaryContext& context);
OwnedEvent make_owned_event(const PrimaryContext& context, unsigned flags);
OwnedMemory make_owned_memory(const PrimaryContext& context, std::size_t bytes);
// Between two events that are done, with a resolution of 0.5 us.
Nanoseconds time_between(const DriverTable& call, Event from, Event to);
// Returns when all that is on the stream is done.
void finish_stream(const PrimaryContext& context, const OwnedStream& stream);

}  // namespace benchbench::cuda
