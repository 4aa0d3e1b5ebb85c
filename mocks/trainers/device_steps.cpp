#include "mocks/trainers/device_steps.h"

#include <cstring>
#include <limits>

namespace benchbench {

DeviceSteps::DeviceSteps(const TrainerContext& context, std::uint32_t kernels)
    : device_(context.device),
      on_(context.device.accelerator()),
      kernels_(kernels),
      runtime_(context.runtime),
      normalizer_(context),
      times_(on_) {
  if (on_) loss_ = device_.allocate(sizeof read_, Memory::device);
}

DeviceSteps::~DeviceSteps() {
  if (on_) device_.deallocate(loss_, sizeof read_, Memory::device);
}

void DeviceSteps::enqueue(BatchLease batch, StepContext& context, Stage stage, Nanoseconds time) {
  stream_ = context.stream;
  const StageScope scope(context.meter, runtime_, context.step, Stage::enqueue);
  normalizer_.enqueue(batch, context);
  if (stream_->native()) {
    times_.around(context, stage, [&] { launch(time); });
  } else {  // nothing is late on an emulated device
    launch(time);
    context.meter.record_on_device(context.step, stage, time);
  }
  batch.drop();
}

void DeviceSteps::launch(Nanoseconds time) {
  const Nanoseconds each = time / kernels_;
  for (std::uint32_t i = 0; i + 1 < kernels_; ++i) on_->launch(*stream_, {.time = each});
  on_->launch(*stream_, {.time = time - each * static_cast<std::int64_t>(kernels_ - 1)});
}

void DeviceSteps::enqueue_reads(BatchLease batch, StepContext& context, Stage stage) {
  stream_ = context.stream;
  const StageScope scope(context.meter, runtime_, context.step, Stage::enqueue);
  begin_sum();
  normalizer_.enqueue(batch, context);
  times_.around(context, stage,
                [&] { on_->launch(*stream_, {.reads = batch.tensors(), .sum = loss_}); });
  batch.drop();
}

// In the first step, which no window has: device memory holds whatever was there before.
void DeviceSteps::begin_sum() {
  if (sums_) return;
  sums_ = true;
  on_->copy(*stream_, loss_, read_, sizeof read_, DeviceCopy::h2d, Memory::host);
}

double DeviceSteps::read_back() {
  if (stream_) on_->copy(*stream_, read_, loss_, sizeof read_, DeviceCopy::d2h, Memory::host);
  if (!sums_ || !stream_->native()) return std::numeric_limits<double>::quiet_NaN();
  std::uint32_t sum = 0;
  std::memcpy(&sum, read_, sizeof sum);
  return 1 + sum * 0x1.0p-32;
}

void DeviceSteps::finish() {
  if (stream_) on_->synchronize(*stream_);
  normalizer_.finish();
  times_.finish();
}

}  // namespace benchbench
