#include "harness/pipeline/sampling/kept_samples.h"

#include <algorithm>
#include <utility>

#include "harness/core/random.h"

namespace benchbench {
namespace {

class OrderOfKept final : public Sampler {
 public:
  OrderOfKept(std::unique_ptr<const KeptSamples> kept, std::unique_ptr<Sampler> sampler)
      : kept_(std::move(kept)), sampler_(std::move(sampler)) {}
  std::uint64_t samples_per_epoch() const noexcept override {
    return sampler_->samples_per_epoch();
  }
  void begin(Epoch epoch, std::span<SampleId> order) override {
    sampler_->begin(epoch, order);
    for (SampleId& id : order) id = kept_->id(id);
  }

 private:
  std::unique_ptr<const KeptSamples> kept_;
  std::unique_ptr<Sampler> sampler_;  // last: its views lead into `kept_`
};

}  // namespace

// Selection sampling (Knuth, volume 2, 3.4.2, algorithm S): one pass, no memory but the answer's.
std::vector<SampleId> choose_samples(std::uint64_t samples, std::uint64_t count,
                                     std::uint64_t seed) {
  std::vector<SampleId> ids;
  ids.reserve(count);
  Random random(seed);
  for (SampleId id = 0; ids.size() < count; ++id)
    if (random.below(samples - id) < count - ids.size()) ids.push_back(id);
  return ids;
}

KeptSamples::KeptSamples(const Layout& all, std::vector<SampleId> ids) : ids_(std::move(ids)) {
  for (const std::uint64_t end : all.shard_ends) {
    const auto kept =
        static_cast<std::uint64_t>(std::ranges::lower_bound(ids_, end) - ids_.begin());
    if (kept > (shard_ends_.empty() ? 0 : shard_ends_.back())) shard_ends_.push_back(kept);
  }
  if (all.lengths.empty()) return;
  for (const SampleId id : ids_) lengths_.push_back(all.lengths[id]);
}

std::unique_ptr<Sampler> order_kept(std::unique_ptr<const KeptSamples> kept,
                                    std::unique_ptr<Sampler> sampler) {
  return std::make_unique<OrderOfKept>(std::move(kept), std::move(sampler));
}

}  // namespace benchbench
