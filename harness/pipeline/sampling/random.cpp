// In random order, another one each epoch.
#include <numeric>
#include <vector>

#include "harness/core/random.h"
#include "harness/part/part_maker.h"
#include "harness/pipeline/sampling/rank_share.h"

namespace benchbench {
namespace {

// Fisher–Yates over all samples, seeded by (seed, epoch) alone: every rank draws the same
// permutation and takes its positions of it, so the ranks of one epoch never overlap.
class RandomOrder final : public Sampler {
 public:
  explicit RandomOrder(const SamplerContext& context)
      : share_(context), seed_(context.seed), permutation_(share_.all()) {}
  std::uint64_t samples_per_epoch() const noexcept override { return share_.samples(); }
  void begin(Epoch epoch, std::span<SampleId> order) override {
    std::iota(permutation_.begin(), permutation_.end(), SampleId{0});
    Random random(mix_seed(seed_, epoch));
    for (std::size_t i = permutation_.size(); i > 1; --i)
      std::swap(permutation_[i - 1], permutation_[random.below(i)]);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = permutation_[share_.position(i)];
  }

 private:
  RankShare share_;
  std::uint64_t seed_;
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
