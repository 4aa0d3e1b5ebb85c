// The memory of all batches of a trial: allocated once, recycled.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "harness/core/lock.h"
#include "harness/part/device_memory.h"
#include "harness/part/loader.h"
#include "harness/pipeline/epoch_stream.h"

namespace benchbench {

// Where a slot's batch is on its way. Each slot has one owner at a time, who hands it on under a
// lock.
enum class SlotState : std::uint8_t { free, issued, ready, leased };

// A slot as the harness sees it: the batch, the request that fills it, and who does.
struct RingSlot : BatchSlot {
  std::vector<SampleRef> refs;
  std::vector<SampleId> sample_ids;
  std::uint32_t next_row = 0;               // first row not yet given to a worker
  std::atomic<std::uint32_t> rows_left{0};  // not yet filled
  std::uint32_t inbox = 0;                  // whose request it is
  SlotState state = SlotState::free;
  RingSlot* next = nullptr;  // in the inbox
  TimePoint issued{};
  TimePoint ready_at{};  // the queue's stamp as it came, where that is metered
  TimePoint got_at{};    // and as it was got

  // Makes it the slot of the batch at `place`.
  void begin(BatchNumber number, const BatchPlace& place) noexcept {
    epoch = place.epoch;
    batch = number;
    samples = place.rows;
    ids = {sample_ids.data(), place.rows};
    for (std::uint8_t t = 0; t < tensor_count; ++t) tensors[t].rows = place.rows;
  }

  // Of the ragged tensors of the batch to come; 0 where there are none.
  void set_width(std::uint32_t width) noexcept {
    if (width == 0) return;
    for (std::uint8_t t = 0; t < tensor_count; ++t)
      if (tensors[t].spec.ragged) tensors[t].spec.row.extent[0] = width;
  }

  // Tells the loader of the samples that were drawn.
  void announce(Loader& loader) {
    set_width(loader.width_of(std::span(refs).first(samples)));
    loader.expect(request(0, static_cast<std::uint32_t>(samples)));
  }

  // The request for `count` rows from `first` on.
  BatchRequest request(std::uint32_t first, std::uint32_t count) const noexcept {
    return {.epoch = epoch,
            .batch = batch,
            .samples = std::span(refs).subspan(first, count),
            .rows = RowSpan({tensors.data(), tensor_count}, first, count),
            .issued = issued};
  }
};

// Slots go round first in, first out, so that a mock which leaves its slots as they are still walks
// through all of their memory. Thread-safe. The device and the runtime must outlive it; every lease
// must be dropped before its end.
class SlotRing final : public SlotOwner {
 public:
  // Throws what Device::allocate throws.
  // Not `shared`: one thread issues and gives back.
  SlotRing(Device& device, Runtime& runtime, const BatchSpec& spec, std::uint32_t batch_size,
           std::uint32_t slots, Memory where, bool shared = true);

  // A free slot, now `issued`. There always is one, since credits are fewer than slots by what the
  // trainer may hold: PartError where the trainer holds more leases than it said.
  RingSlot& issue();
  // The trainer's right to a `ready` slot.
  BatchLease lease(RingSlot& slot) noexcept;
  void give_back(BatchSlot& slot) noexcept override;

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
  std::size_t bytes() const noexcept { return memory_.bytes(); }
  // Samples in slots of that state. Only where no thread moves slots: after the pool's end.
  Samples samples_in(SlotState state) const noexcept;
  std::uint32_t slots_in(SlotState state) const noexcept;
  template <class Visit>
  void for_each(SlotState state, Visit visit) const {
    for (const auto& slot : slots_)
      if (slot->state == state) visit(*slot);
  }
  // How long those that are ready have been so by `now`, added up.
  Nanoseconds stay_of_ready(TimePoint now) const noexcept;

 private:
  void lay_out(const BatchSpec& spec, std::uint32_t batch_size);

  const DeviceMemory memory_;
  std::vector<std::unique_ptr<RingSlot>> slots_;
  Lock lock_;
  std::vector<RingSlot*> free_;  // a ring: `free_count_` from `first_free_` on
  std::size_t first_free_ = 0;
  std::size_t free_count_ = 0;
};

}  // namespace benchbench
