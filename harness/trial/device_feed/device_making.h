// Batches that are made on a device, of what the host hands over in their place.
#pragma once
#include "harness/part/stage_meter.h"
#include "harness/trial/device_feed/device_buffer.h"

namespace benchbench {

// One thread, the trial's.
class DeviceMaking {
 public:
  virtual ~DeviceMaking() = default;
  virtual const BatchSpec& spec() const noexcept = 0;  // of the batches that are made
  // Puts on the stream what makes the batch in `to` of the host's, whose bytes stay until that is
  // done. Returns the bytes that are copied to the device. The meter gets the faults of samples.
  virtual std::uint64_t make(DeviceStream& stream, const BatchLease& host, DeviceBuffer& to,
                             StageMeter& meter) = 0;
};

}  // namespace benchbench
