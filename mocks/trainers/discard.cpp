// A trainer that takes no time: what the loader could deliver.
#include <limits>

#include "harness/part/catalog.h"

namespace benchbench::parts {
namespace {

class Discard final : public Trainer {
 public:
  void step(BatchLease batch, StepContext&) override { batch.drop(); }
  void finish() override {}
  double loss() override { return std::numeric_limits<double>::quiet_NaN(); }
  std::uint64_t parameters() const noexcept override { return 0; }
  std::uint32_t holds() const noexcept override { return 0; }
};

}  // namespace

extern const PartDescription trainer_discard_description;
const PartDescription trainer_discard_description{
    .kind = PartKind::trainer,
    .name = "discard",
    .summary = "Takes every batch and drops it at once: what the loader could deliver.",
    .simulated = true,
    .mock = true,
};

PartMaker trainer_discard_maker() {
  PartMaker maker;
  maker.trainer = [](const TrainerContext&) -> std::unique_ptr<Trainer> {
    return std::make_unique<Discard>();
  };
  return maker;
}

}  // namespace benchbench::parts
