// A trainer that reads every byte and does nothing else: no loader gets away with batches that it
// has not made, and no copy to a device with bytes that it has not brought.
#include "harness/part/part_maker.h"
#include "mocks/trainers/byte_sum.h"
#include "mocks/trainers/device_steps.h"

namespace benchbench::parts {
namespace {

constexpr Stage kStages[] = {Stage::forward, Stage::enqueue};

class Touch final : public DeviceMockTrainer {
 public:
  explicit Touch(const TrainerContext& context)
      : DeviceMockTrainer(context), runtime_(context.runtime) {}

  void step(BatchLease batch, StepContext& context) override {
    if (on_device_) return on_device_.enqueue_reads(std::move(batch), context, Stage::forward);
    if (batch.ready()) batch.ready()->wait();
    const StageScope scope(context.meter, runtime_, context.step, Stage::forward);
    for (const TensorView& tensor : batch.tensors()) sum_.add({tensor.data, tensor.bytes()});
  }

 private:
  // The sum of all bytes so far, as a number from 1 up to 2: two runs that saw the same batches in
  // the same order give the same, and a byte that differs shows. On a device the order does not,
  // nor on an emulated one anything.
  double host_loss() override { return 1 + static_cast<double>(sum_.value() >> 12) * 0x1.0p-52; }

  Runtime& runtime_;
  ByteSum sum_;
};

}  // namespace

extern const PartDescription trainer_touch_description{
    .kind = PartKind::trainer,
    .name = "touch",
    .summary =
        "Reads every byte of every batch and drops it: the most the loader can deliver to a "
        "consumer that reads its batches. Its loss is a checksum. On an accelerator a kernel reads "
        "them there, on the emulated one at trainer.emulated.memory_rate and without a checksum. "
        "Takes no virtual time on the CPU.",
    .stages = kStages,
    .simulated = true,
    .mock = true,
    .on_device = OnDevice::any,
};

PartMaker trainer_touch_maker() { return part_maker<Touch>(); }

}  // namespace benchbench::parts
