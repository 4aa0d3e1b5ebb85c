#include "harness/cuda/owned.h"

#include "harness/cuda/driver_error.h"

namespace benchbench::cuda {

OwnedStream make_owned_stream(const PrimaryContext& context) {
  const DriverTable& call = context.driver();
  Stream stream = nullptr;
  check(call, call.stream_create(&stream, kStreamNonBlocking), "cuStreamCreate");
  return {context, stream};
}

OwnedEvent make_owned_event(const PrimaryContext& context, unsigned flags) {
  const DriverTable& call = context.driver();
  Event event = nullptr;
  check(call, call.event_create(&event, flags), "cuEventCreate");
  return {context, event};
}

OwnedMemory make_owned_memory(const PrimaryContext& context, std::size_t bytes) {
  const DriverTable& call = context.driver();
  DevicePointer data = 0;
  check(call, call.memory_allocate(&data, bytes), "cuMemAlloc_v2");
  return {context, data};
}

Nanoseconds time_between(const DriverTable& call, Event from, Event to) {
  float ms = 0;
  check(call, call.event_elapsed(&ms, from, to), "cuEventElapsedTime");
  return from_seconds(static_cast<double>(ms) * 1e-3);
}

void finish_stream(const PrimaryContext& context, const OwnedStream& stream) {
  check(context.driver(), context.driver().stream_synchronize(stream.get()), "cuStreamSynchronize");
}

}  // namespace benchbench::cuda
