// Room for one batch in a device's memory.
#pragma once
#include <vector>

#include "harness/part/device_memory.h"
#include "harness/pipeline/batch_places.h"

namespace benchbench {

// One stretch of bytes of the host that is copied as a whole, and where in the buffer it goes.
struct CopyPiece {
  const std::byte* from = nullptr;
  std::size_t at = 0, bytes = 0;
};

// One thread.
class DeviceBuffer final : public SlotOwner {
 public:
  // Room for `rows` of `spec`. Throws PartError where the device has none.
  DeviceBuffer(Device& device, const BatchSpec& spec, std::uint64_t rows);

  // Makes room for the tensors of `batch`; what is to be copied from where. Tensors that are
  // adjacent on the host are one piece. Views are valid until the next call.
  std::span<const CopyPiece> take(const BatchLease& batch);
  // Makes room for rows of the device's own in the place of the tensors of a batch, which says no
  // more than how many.
  std::span<const TensorView> take_rows(const BatchSpec& spec, std::uint64_t rows);
  std::byte* data() const noexcept { return memory_.data(); }
  bool filled() const noexcept { return slot_.tensor_count > 0; }
  // The batch that it was last taken for, whose bytes may be on their way.
  BatchLease lease(const BatchLease& batch, DeviceEvent* ready);
  void give_back(BatchSlot&) noexcept override {}

 private:
  void add_piece(const CopyPiece& piece);

  const BatchPlaces places_;  // as in the host's slots
  const DeviceMemory memory_;
  BatchSlot slot_;
  bool own_rows_ = false;
  std::vector<SampleId> ids_;  // a copy: the host's slot is soon another batch's
  std::vector<CopyPiece> pieces_;
};

}  // namespace benchbench
