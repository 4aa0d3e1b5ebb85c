// A batch on its way from loader to trainer: whose memory it is, and for how long.
//
// Slots belong to the harness or, of a loader with workers of its own, to that loader. A worker
// writes the rows of a slot; then it is the trainer's, who has it by a lease; when the lease is
// dropped, the slot is written again. Neither side locks anything for that: one has the slot at a
// time, and the harness hands it on under locks of its own.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "harness/core/units.h"
#include "harness/part/tensor.h"

namespace benchbench {

// The index of a logical sample in the data set, the same in every format.
using SampleId = std::uint64_t;
using Epoch = std::uint64_t;
using BatchNumber = std::uint64_t;  // counted over all epochs
using StepNumber = std::uint64_t;

// In place of a time that nobody can say.
inline constexpr TimePoint kNotKnown = TimePoint::min();

// Where the bytes of a batch lie. `pinned` is page-locked host memory, which a device can copy from
// by itself.
enum class Memory : std::uint8_t { host, pinned, device };

// Something that is done later on a device, such as a copy; null where everything is host work, as
// always on a CPU. Belongs to whoever put it into the slot, and is valid as long as the lease.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  // Returns when it is done. Blocks the calling thread.
  virtual void wait() = 0;
  // Asks without waiting.
  virtual bool done() const = 0;
  // The driver's own handle (CUevent); nullptr where there is no driver.
  virtual void* native() const noexcept { return nullptr; }
};

// One slot: a whole batch, and where it lies in memory that is allocated once and recycled. A part
// sees one through RowSpan or BatchLease only.
struct BatchSlot {
  // The first tensor_count; each with rows = samples.
  std::array<TensorView, kMaxTensors> tensors{};
  std::uint8_t tensor_count = 0;
  std::span<const SampleId> ids;  // of the rows, in row order; empty where the loader does not know
  // Rows; fewer than batch_size in an epoch's last batch, where drop_last is false.
  std::uint64_t samples = 0;
  Epoch epoch = 0;
  BatchNumber batch = 0;
  Memory where = Memory::host;   // the tensors' bytes
  DeviceEvent* ready = nullptr;  // not null: no byte may be read before it is done
  TimePoint filled = kNotKnown;  // when it could be got; long ago where it was made on demand
  // How long the thread that asked for it took to make it on demand: without workers.
  Nanoseconds made_in{0};
  // How long one worker filled it; 0: shared by several, no worker, or nobody looked at the clock.
  Nanoseconds filling{0};
};

// Whom a slot goes back to.
class SlotOwner {
 public:
  virtual ~SlotOwner() = default;
  // Once for each lease. Any thread. The slot may be written again before this returns.
  virtual void give_back(BatchSlot& slot) noexcept = 0;
};

// The right to read one batch. Move-only; dropping it returns the slot for refilling, so a trainer
// with device work in flight keeps the lease until its own event is done. One thread at a time; it
// may move from one to another, and be dropped on any. Must be dropped before its owner's end. What
// the members below return is valid until it is dropped.
class BatchLease {
 public:
  // Of no batch, as one that was moved from or dropped: only operator bool, drop() and assignment
  // may be called.
  BatchLease() = default;
  // Both must outlive the lease.
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
  // Gives the slot back now. Idempotent.
  void drop() noexcept {
    if (slot_) owner_->give_back(*std::exchange(slot_, nullptr));
  }
  explicit operator bool() const noexcept { return slot_ != nullptr; }
  Samples samples() const noexcept { return {slot_->samples}; }
  // In the order of Loader::spec(), each with `rows` = samples(); images uint8 or float32 [N, H, W,
  // C]. A ragged tensor is as wide as this batch.
  std::span<const TensorView> tensors() const noexcept {
    return {slot_->tensors.data(), slot_->tensor_count};
  }
  // Of each row; empty where the loader does not know them.
  std::span<const SampleId> ids() const noexcept { return slot_->ids; }
  Epoch epoch() const noexcept { return slot_->epoch; }
  BatchNumber batch() const noexcept { return slot_->batch; }
  Memory where() const noexcept { return slot_->where; }
  // Not null: to be waited for before a byte of the tensors is read.
  DeviceEvent* ready() const noexcept { return slot_->ready; }
  // When it was filled and handed over, so that it could be got; kNotKnown if not stamped.
  TimePoint filled() const noexcept { return slot_->filled; }
  // What making it took the thread that got it, where there are no workers; else 0.
  Nanoseconds made_in() const noexcept { return slot_->made_in; }
  // How long a worker took to fill it, where one did and its clock runs; else 0.
  Nanoseconds filling() const noexcept { return slot_->filling; }

 private:
  BatchSlot* slot_ = nullptr;
  SlotOwner* owner_ = nullptr;
};

// An image of a batch that a device is to decode (loader.decode.backend: nvjpeg), and what is to
// become of it: a row of the tensor "encoded" of uint8. It holds no address, so that equal batches
// have equal bytes.
struct EncodedImage {
  std::uint64_t bytes = 0;  // of the file; 0: there is no image, and its row is zeros
  std::int32_t width = 0, height = 0;
  // Not 0: workers have decoded it, into pixels of R, G, B and so many bytes in all.
  std::int32_t pixel_bytes = 0;
  // The part of it that is resized, in pixels, and the size that the part becomes. Row and column
  // `top` and `left` of the result are the first of the batch's row.
  std::int32_t x = 0, y = 0, box_width = 0, box_height = 0;
  std::int32_t result_width = 0, result_height = 0, left = 0, top = 0;
  std::int32_t mirrored = 0;  // 1: left and right change places, last of all
};

// The place of its bytes, and its name for messages.
struct EncodedFile {
  const std::byte* bytes = nullptr;
  std::string_view name;
};

constexpr TensorSpec encoded_tensor() noexcept {
  return {.name = "encoded", .dtype = DType::uint8, .row = {{sizeof(EncodedImage)}, 1}};
}

}  // namespace benchbench
