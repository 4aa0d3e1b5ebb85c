// Samples of about one length in one batch, so that little of it is padding.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/permutation.h"
#include "harness/part/part_maker.h"
#include "harness/pipeline/sampling/rank_share.h"

namespace benchbench {
namespace {

// As fairseq and HF's group_by_length: a random permutation, pools of it sorted by length and cut
// into batches, the batches in random order. A batch here is one of all ranks together, of which
// each takes every world-th sample: ranks step at the same time with batches alike long. What makes
// no whole batch is the permutation's rest and comes last, so that drop_last leaves out other
// samples each epoch and none for its length.
class BucketByLength final : public SeededSampler {
 public:
  explicit BucketByLength(const SamplerContext& context)
      : SeededSampler(context),
        world_(context.world),
        batch_(std::uint64_t{std::max(1u, context.batch_size)} * context.world),
        pool_(static_cast<std::uint64_t>(context.settings.integer("bucket_batches")) * batch_),
        lengths_(context.layout.lengths),
        permutation_(share_.all()) {
    if (!lengths_.empty() && lengths_.size() < share_.all())
      throw PartError(
          fmt::format("the lengths of {} samples of {} are known", lengths_.size(), share_.all()));
    batches_.resize(share_.samples() * world_ / batch_);
  }
  void begin(Epoch epoch, std::span<SampleId> order) override {
    Random random(mix_seed(seed_, epoch));
    draw_permutation(permutation_, random);
    sort_pools();
    draw_permutation(batches_, random);
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = permutation_[place_of(share_.position(i))];
  }

 private:
  // Of equal lengths in the order of the permutation.
  void sort_pools() {
    if (lengths_.empty()) return;
    const std::uint64_t end = batches_.size() * batch_;
    for (std::uint64_t first = 0; first < end; first += pool_) {
      const auto pool = std::span(permutation_).subspan(first, std::min(pool_, end - first));
      std::ranges::stable_sort(pool, {}, [this](SampleId id) { return lengths_[id]; });
    }
  }
  // Where in the permutation the sample at this position of the order lies.
  std::uint64_t place_of(std::uint64_t position) const noexcept {
    const std::uint64_t batch = position / batch_;
    return batch < batches_.size() ? batches_[batch] * batch_ + position % batch_ : position;
  }

  std::uint64_t world_;
  std::uint64_t batch_, pool_;  // in samples, of all ranks
  std::span<const std::uint32_t> lengths_;
  std::vector<SampleId> permutation_;
  std::vector<std::uint64_t> batches_;
};

constexpr Parameter kParameters[] = {
    {"bucket_batches", ParameterType::integer, "50",
     "Number of batches whose samples are sorted by length together: more give less padding and "
     "less randomness.",
     1, 1e6},
};

}  // namespace

namespace parts {
extern const PartDescription sampler_bucket_by_length_description{
    .kind = PartKind::sampler,
    .name = "bucket_by_length",
    .summary =
        "Random, with samples of similar length in one batch to reduce padding; the same as "
        "`random` where all have the same length.",
    .parameters = kParameters,
    .simulated = true,
};
PartMaker sampler_bucket_by_length_maker() { return part_maker<BucketByLength>(); }
}  // namespace parts
}  // namespace benchbench
