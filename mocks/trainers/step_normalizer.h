// Images whose normalisation the loader left to the step (transform.normalize_on: device), on a
// device with memory of its own.
#pragma once
#include "harness/part/device_times.h"

namespace benchbench {

// One thread.
class StepNormalizer {
 public:
  // Room for a batch's images as float32, if anything is left to the step. PartError where they are
  // no uint8 [H, W, C] with 1 to 4 channels, or the device has no such room.
  explicit StepNormalizer(const TrainerContext& context);
  ~StepNormalizer();
  StepNormalizer(const StepNormalizer&) = delete;
  StepNormalizer& operator=(const StepNormalizer&) = delete;

  // Puts it on the step's stream, if anything is left. Its time on the device is billed to
  // `forward` as soon as it is known: in a later step, or in finish().
  void enqueue(const BatchLease& batch, StepContext& context);
  // Once nothing is under way on the stream.
  void finish() { times_.finish(); }

 private:
  Device& device_;
  Accelerator* const on_;  // nullptr: nothing is left to the step, or steps are on the CPU
  const std::optional<ImageNormalization> by_;
  std::size_t image_ = 0;  // which tensor
  std::size_t bytes_ = 0;
  std::byte* normalized_ = nullptr;  // of the device
  DeviceTimes times_;
};

}  // namespace benchbench
