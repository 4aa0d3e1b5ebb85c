// Pinned memory for the batches of a loader that has memory of its own, each copied there as it is
// got.
#pragma once
#include "harness/part/device_memory.h"
#include "harness/pipeline/batch_places.h"

namespace benchbench {

// One thread. The device outlives it.
class PinnedRoom {
 public:
  // For `batches` at once, of up to `rows` rows. Throws what Device::allocate throws.
  PinnedRoom(Device& device, const BatchSpec& spec, std::uint64_t rows, std::size_t batches);

  // Copies the slot's tensors to place `place` of it, where its views lie from then on.
  void take(BatchSlot& slot, std::size_t place) const;

 private:
  const BatchPlaces places_;
  const DeviceMemory memory_;
};

}  // namespace benchbench
