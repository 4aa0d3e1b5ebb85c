// Steps of a mock trainer on a device with memory of its own: kernels of a known time.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "harness/part/trainer.h"
#include "mocks/trainers/step_normalizer.h"

namespace benchbench {

// One thread.
class DeviceSteps {
 public:
  // `kernels`: launches that a step consists of, at least 1.
  DeviceSteps(const TrainerContext& context, std::uint32_t kernels)
      : device_(context.device), runtime_(context.runtime), on_(context.device.accelerator()), kernels_(kernels), normalizer_(context) {
    if (on_) loss_ = device_.allocate(sizeof read_, Memory::device);
  }
  ~DeviceSteps() {
    if (on_) device_.deallocate(loss_, sizeof read_, Memory::device);
  }
  DeviceSteps(const DeviceSteps&) = delete;
  DeviceSteps& operator=(const DeviceSteps&) = delete;

  // False: batches stay on the host, and steps are the thread's own work.
  explicit operator bool() const noexcept { return on_ != nullptr; }

  // Enqueues kernels that take `time` together, the last one the nanoseconds that are left over. Launching them is billed to enqueue;
  // their time, to `stage` of the device. Images that the loader left to normalise are normalised before them.
  void enqueue(BatchLease batch, StepContext& context, Stage stage, Nanoseconds time) {
    stream_ = context.stream;
    const StageScope scope(context.meter, runtime_, context.step, Stage::enqueue);
    normalizer_.enqueue(batch, context);
    const Nanoseconds each = time / kernels_;
    for (std::uint32_t i = 0; i + 1 < kernels_; ++i) on_->launch(*stream_, {.time = each});
    on_->launch(*stream_, {.time = time - each * static_cast<std::int64_t>(kernels_ - 1)});
    context.meter.record_on_device(context.step, stage, time);
    batch.drop();
  }
  // Reads four bytes back, as a training loop that prints its loss: waits for all steps. NaN: a mock has no loss.
  double read_back() {
    if (stream_) on_->copy(*stream_, read_, loss_, sizeof read_, DeviceCopy::d2h, Memory::host);
    return std::numeric_limits<double>::quiet_NaN();
  }
  void finish() {
    if (stream_) on_->synchronize(*stream_);
    normalizer_.finish();
  }

 private:
  Device& device_;
  Runtime& runtime_;
  Accelerator* const on_;
  const std::uint32_t kernels_;
  StepNormalizer normalizer_;
  DeviceStream* stream_ = nullptr;  // of the last step
  std::byte* loss_ = nullptr;       // of the device
  std::byte read_[4] = {};
};

}  // namespace benchbench
