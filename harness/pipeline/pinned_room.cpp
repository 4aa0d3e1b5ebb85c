#include "harness/pipeline/pinned_room.h"

#include <cstring>

namespace benchbench {

PinnedRoom::PinnedRoom(Device& device, const BatchSpec& spec, std::uint64_t rows,
                       std::size_t batches)
    : places_(places_of(spec, rows)), memory_(device, places_.bytes * batches, Memory::pinned) {}

void PinnedRoom::take(BatchSlot& slot, std::size_t place) const {
  std::byte* const room = memory_.data() + place * places_.bytes;
  for (std::size_t t = 0; t < slot.tensor_count; ++t) {
    TensorView& tensor = slot.tensors[t];
    if (tensor.bytes() > 0) std::memcpy(room + places_.starts[t], tensor.data, tensor.bytes());
    tensor.data = room + places_.starts[t];
  }
  slot.where = Memory::pinned;
}

}  // namespace benchbench
