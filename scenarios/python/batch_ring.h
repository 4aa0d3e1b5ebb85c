// Slots of batches in a memory file that both processes have mapped.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/part/loader.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {

// What a slot holds: tensors, each from its own offset on.
struct SlotLayout {
  BatchSpec spec;
  std::uint32_t rows = 0;            // at most
  std::vector<std::size_t> offsets;  // of each tensor in the slot
  std::size_t slot_bytes = 0;
};

// Of benchbench's own batches: aligned to 64 bytes, slots to pages.
SlotLayout layout_of(const BatchSpec& spec, std::uint32_t rows);
// Of the message `spec`. PartError where it is nonsense, ScenarioError naming `call` where the
// harness has no such tensors.
SlotLayout layout_from(const Message& spec, const std::string& call);
// The members `tensors`, `rows`, `slot_bytes` and `offsets`.
Json members_of(const SlotLayout& layout);

// Maps the first `slots` slots of the file, which must be that long. PartError where it is not.
class BatchRing {
 public:
  BatchRing(int file, const SlotLayout& layout, std::uint32_t slots);
  ~BatchRing();
  BatchRing(const BatchRing&) = delete;
  BatchRing& operator=(const BatchRing&) = delete;
  std::uint32_t slots() const noexcept { return slots_; }
  const SlotLayout& layout() const noexcept { return layout_; }
  std::byte* tensor(std::uint32_t slot, std::size_t tensor) const noexcept {
    return data_ + slot * layout_.slot_bytes + layout_.offsets[tensor];
  }
  // A batch of so many rows in it.
  std::array<TensorView, kMaxTensors> views(std::uint32_t slot, std::uint32_t rows) const noexcept;

 private:
  const SlotLayout layout_;
  const std::uint32_t slots_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace benchbench::python_part
