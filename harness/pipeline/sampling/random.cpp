// In random order, another one each epoch.
#include <vector>

#include "harness/core/permutation.h"
#include "harness/part/part_maker.h"
#include "harness/pipeline/sampling/rank_share.h"

namespace benchbench {
namespace {

// Fisher–Yates over all samples, seeded by (seed, epoch) alone: every rank draws the same
// permutation and takes its positions of it, so the ranks of one epoch never overlap.
class RandomOrder final : public SeededSampler {
 public:
  explicit RandomOrder(const SamplerContext& context)
      : SeededSampler(context), permutation_(share_.all()) {}
  void begin(Epoch epoch, std::span<SampleId> order) override {
    Random random(mix_seed(seed_, epoch));
    draw_permutation(permutation_, random);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = permutation_[share_.position(i)];
  }

 private:
  std::vector<SampleId> permutation_;
};

}  // namespace

namespace parts {
extern const PartDescription sampler_random_description{
    .kind = PartKind::sampler,
    .name = "random",
    .summary =
        "Every sample once per epoch, in a random order that differs from epoch to epoch "
        "(`shuffle: true`).",
    .simulated = true,
};
PartMaker sampler_random_maker() { return part_maker<RandomOrder>(); }
}  // namespace parts
}  // namespace benchbench
