#include "harness/pipeline/slot_ring.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/pipeline/batch_places.h"

namespace benchbench {
namespace {

// Tensors begin on cache lines, slots on pages: neighbours never share one.
constexpr std::size_t kPage = 4096;

}  // namespace

SlotRing::SlotRing(Device& device, Runtime& runtime, const BatchSpec& spec,
                   std::uint32_t batch_size, std::uint32_t slots, Memory where, bool shared)
    : memory_(device, rounded_up(places_of(spec, batch_size).bytes, kPage) * slots, where),
      lock_(runtime, shared) {
  slots_.reserve(slots);
  free_.reserve(slots);
  for (std::uint32_t i = 0; i < slots; ++i) {
    auto& slot = slots_.emplace_back(std::make_unique<RingSlot>());
    slot->refs.resize(batch_size);
    slot->sample_ids.resize(batch_size);
    free_.push_back(slot.get());
  }
  free_count_ = slots;
  lay_out(spec, batch_size);
}

void SlotRing::lay_out(const BatchSpec& spec, std::uint32_t batch_size) {
  const BatchPlaces places = places_of(spec, batch_size);
  std::byte* start = memory_.data();
  for (auto& slot : slots_) {
    for (const TensorSpec& tensor : spec.tensors()) {
      const std::size_t at = places.starts[slot->tensor_count];
      slot->tensors[slot->tensor_count++] = {.spec = tensor, .rows = 0, .data = start + at};
    }
    slot->where = memory_.where();
    start += rounded_up(places.bytes, kPage);
  }
}

RingSlot& SlotRing::issue() {
  Guard guard(lock_);
  if (free_count_ == 0)
    throw PartError(fmt::format("all {} batch slots are in use", slots_.size()),
                    "the trainer keeps more batches than its holds() declares");
  RingSlot& slot = *free_[first_free_];
  first_free_ = first_free_ + 1 == free_.size() ? 0 : first_free_ + 1;
  --free_count_;
  slot.state = SlotState::issued;
  return slot;
}

BatchLease SlotRing::lease(RingSlot& slot) noexcept {
  slot.state = SlotState::leased;
  return {slot, *this};
}

void SlotRing::give_back(BatchSlot& given) noexcept {
  RingSlot& slot = static_cast<RingSlot&>(given);
  Guard guard(lock_);
  slot.state = SlotState::free;
  std::size_t end = first_free_ + free_count_;
  if (end >= free_.size()) end -= free_.size();
  free_[end] = &slot;
  ++free_count_;
}

Samples SlotRing::samples_in(SlotState state) const noexcept {
  Samples sum;
  for (const auto& slot : slots_)
    if (slot->state == state) sum.value += slot->samples;
  return sum;
}

std::uint32_t SlotRing::slots_in(SlotState state) const noexcept {
  std::uint32_t count = 0;
  for (const auto& slot : slots_) count += slot->state == state;
  return count;
}

Nanoseconds SlotRing::stay_of_ready(TimePoint now) const noexcept {
  Nanoseconds sum{0};
  for (const auto& slot : slots_)
    if (slot->state == SlotState::ready) sum += now - slot->ready_at;
  return sum;
}

}  // namespace benchbench
