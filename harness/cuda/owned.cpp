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

}  // namespace benchbench::cuda
