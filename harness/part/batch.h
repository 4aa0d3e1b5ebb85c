// A batch on its way from loader to trainer.
#pragma once
#include <cstdint>
#include <span>
#include <utility>

#include "harness/core/units.h"
#include "harness/part/tensor.h"

namespace benchbench {

using SampleId = std::uint64_t;     // index of a logical sample in the data set, the same in every format
using Epoch = std::uint64_t;
using BatchNumber = std::uint64_t;  // counted over all epochs
using StepNumber = std::uint64_t;

inline constexpr TimePoint kNotKnown = TimePoint::min();

enum class Memory : std::uint8_t { host, pinned, device };

// Something done later on a device; null where everything is host work.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  virtual void wait() = 0;          // blocks the calling thread
  virtual bool done() const = 0;
};

// One slot: memory for a whole batch, allocated once and recycled. The slot ring owns it; a lease refers to it.
struct BatchSlot {
  std::array<TensorView, kMaxTensors> tensors{};
  std::uint8_t tensor_count = 0;
  std::span<const SampleId> ids;      // of the rows filled, in row order
  std::uint64_t samples = 0;          // rows filled
  Epoch epoch = 0;
  BatchNumber batch = 0;
  Memory where = Memory::host;
  DeviceEvent* ready = nullptr;
  TimePoint filled = kNotKnown;       // when its last row was
  // How long that took the thread that asked for it, where it was made on demand: without workers.
  Nanoseconds made_in{0};
};

class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  virtual void give_back(BatchSlot& slot) noexcept = 0;
};

// The right to read one batch. Move-only; dropping it returns the slot for refilling, so a trainer with device work
// in flight keeps the lease until its own event is done. Any one thread at a time.
class BatchLease {
 public:
  BatchLease() = default;
  BatchLease(BatchSlot& slot, SlotOwner& owner) noexcept : slot_(&slot), owner_(&owner) {}
  BatchLease(BatchLease&& o) noexcept : slot_(std::exchange(o.slot_, nullptr)), owner_(o.owner_) {}
  BatchLease& operator=(BatchLease&& o) noexcept {
    if (this != &o) {
      drop();
      slot_ = std::exchange(o.slot_, nullptr);
      owner_ = o.owner_;
    }
    return *this;
  }
  ~BatchLease() { drop(); }
  void drop() noexcept {
    if (slot_) owner_->give_back(*std::exchange(slot_, nullptr));
  }
  explicit operator bool() const noexcept { return slot_ != nullptr; }
  Samples samples() const noexcept { return {slot_->samples}; }
  // Each with `rows` = samples(); images uint8 or float32 [N, H, W, C].
  std::span<const TensorView> tensors() const noexcept { return {slot_->tensors.data(), slot_->tensor_count}; }
  std::span<const SampleId> ids() const noexcept { return slot_->ids; }
  Epoch epoch() const noexcept { return slot_->epoch; }
  BatchNumber batch() const noexcept { return slot_->batch; }
  Memory where() const noexcept { return slot_->where; }
  DeviceEvent* ready() const noexcept { return slot_->ready; }
  // When its last row was filled; kNotKnown where nobody says.
  TimePoint filled() const noexcept { return slot_->filled; }
  Nanoseconds made_in() const noexcept { return slot_->made_in; }

 private:
  BatchSlot* slot_ = nullptr;
  SlotOwner* owner_ = nullptr;
};

}  // namespace benchbench
