// A trainer of one's own: adds up the bytes of each batch.
#include "harness/part/own_part.h"

using namespace benchbench;

constexpr Stage kMeters[] = {Stage::forward};
constexpr PartDescription kByteSum{.kind = PartKind::trainer,
                                   .name = "byte_sum",
                                   .summary = "Adds up the bytes of each batch.",
                                   .stages = kMeters,
                                   .mock = true};

struct ByteSum final : Trainer {
  explicit ByteSum(const TrainerContext& context) : runtime(context.runtime) {}
  void step(BatchLease batch, StepContext& context) override {
    const StageScope scope(context.meter, runtime, context.step, Stage::forward);
    if (batch.ready()) batch.ready()->wait();
    for (const TensorView& tensor : batch.tensors())
      for (std::size_t i = 0; i < tensor.bytes(); ++i) sum += static_cast<unsigned>(tensor.data[i]);
  }
  void finish() override {}
  double loss() override { return static_cast<double>(sum); }
  std::uint64_t parameters() const noexcept override { return 0; }
  std::uint32_t holds() const noexcept override { return 0; }
  Runtime& runtime;
  std::uint64_t sum = 0;
};

BENCHBENCH_PARTS({&kByteSum, part_maker<ByteSum>()});
