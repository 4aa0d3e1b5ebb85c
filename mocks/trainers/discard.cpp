// A trainer that takes no time: what the loader could deliver.
#include "harness/part/part_maker.h"
#include "mocks/trainers/mock_trainer.h"

namespace benchbench::parts {
namespace {

class Discard final : public MockTrainer {
 public:
  void step(BatchLease batch, StepContext&) override { batch.drop(); }
  bool wants_batches_on_device() const noexcept override { return false; }
};

}  // namespace

extern const PartDescription trainer_discard_description{
    .kind = PartKind::trainer,
    .name = "discard",
    .summary = "Drops every batch at once: the most the loader can deliver.",
    .simulated = true,
    .mock = true,
    .on_device = true,
};

PartMaker trainer_discard_maker() { return part_maker<Discard>(); }

}  // namespace benchbench::parts
