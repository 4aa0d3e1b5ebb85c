// In storage order.
#include "harness/part/part_maker.h"
#include "harness/pipeline/sampling/rank_share.h"

namespace benchbench {
namespace {

class Sequential final : public SeededSampler {
 public:
  using SeededSampler::SeededSampler;
  void begin(Epoch, std::span<SampleId> order) override {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = share_.stored(i);
  }

 private:
};

}  // namespace

namespace parts {
extern const PartDescription sampler_sequential_description{
    .kind = PartKind::sampler,
    .name = "sequential",
    .summary =
        "Every sample once per epoch, in storage order; each round starts at a different sample.",
    .simulated = true,
};
PartMaker sampler_sequential_maker() { return part_maker<Sequential>(); }
}  // namespace parts
}  // namespace benchbench
