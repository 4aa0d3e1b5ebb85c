#include "harness/pipeline/pinned_room.h"

#include <cstring>

namespace benchbench {
namespace {

constexpr std::size_t kAlignment = 64;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

PinnedRoom::PinnedRoom(Device& device, const BatchSpec& spec, std::uint64_t rows, std::size_t batches) : device_(device) {
  for (std::size_t t = 0; t < spec.count; ++t) {
    starts_[t] = of_batch_;
    of_batch_ += aligned(spec.tensor[t].bytes_per_row() * rows);
  }
  bytes_ = of_batch_ * batches;
  data_ = device.allocate(bytes_, Memory::pinned);
}

PinnedRoom::~PinnedRoom() { device_.deallocate(data_, bytes_, Memory::pinned); }

void PinnedRoom::take(BatchSlot& slot, std::size_t place) const {
  std::byte* const room = data_ + place * of_batch_;
  for (std::size_t t = 0; t < slot.tensor_count; ++t) {
    TensorView& tensor = slot.tensors[t];
    if (tensor.bytes() > 0) std::memcpy(room + starts_[t], tensor.data, tensor.bytes());
    tensor.data = room + starts_[t];
  }
  slot.where = Memory::pinned;
}

}  // namespace benchbench
