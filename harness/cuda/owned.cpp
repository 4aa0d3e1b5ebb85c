#include "harness/cuda/owned.h"

#include "harness/cuda/driver_error.h"

namespace benchbench::cuda {

OwnedStream make_owned_stream(const DriverTable& driver) {
  Stream stream = nullptr;
  check(driver, driver.stream_create(&stream, kStreamNonBlocking), "cuStreamCreate");
  return {driver, stream};
}

OwnedEvent make_owned_event(const DriverTable& driver, unsigned flags) {
  Event event = nullptr;
  check(driver, driver.event_create(&event, flags), "cuEventCreate");
  return {driver, event};
}

}  // namespace benchbench::cuda
