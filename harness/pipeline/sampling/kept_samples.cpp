#include "harness/pipeline/sampling/kept_samples.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "harness/core/random.h"

namespace benchbench {
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

std::vector<SampleId> choose_classes(std::span<const std::int64_t> labels, std::uint64_t count,
                                     std::uint64_t seed) {
  std::map<std::int64_t, std::vector<SampleId>> classes;
  for (SampleId id = 0; id < labels.size(); ++id) classes[labels[id]].push_back(id);
  Random random(seed);
  std::vector<SampleId> ids;
  ids.reserve(count);
  while (ids.size() < count && !classes.empty()) {
    const auto drawn =
        std::next(classes.begin(), static_cast<std::ptrdiff_t>(random.below(classes.size())));
    const std::vector<SampleId>& of_class = drawn->second;
    const std::uint64_t taken = std::min<std::uint64_t>(of_class.size(), count - ids.size());
    ids.insert(ids.end(), of_class.begin(), of_class.begin() + static_cast<std::ptrdiff_t>(taken));
    classes.erase(drawn);
  }
  std::ranges::sort(ids);
  return ids;
}

KeptOrder::KeptOrder(const Layout& all, std::vector<SampleId> ids, const OrderFactory& order)
    : ids_(std::move(ids)) {
  for (const std::uint64_t end : all.shard_ends) {
    const auto kept =
        static_cast<std::uint64_t>(std::ranges::lower_bound(ids_, end) - ids_.begin());
    if (kept > (shard_ends_.empty() ? 0 : shard_ends_.back())) shard_ends_.push_back(kept);
  }
  if (!all.lengths.empty())
    for (const SampleId id : ids_) lengths_.push_back(all.lengths[id]);
  sampler_ = order({ids_.size(), shard_ends_, lengths_});
}

void KeptOrder::begin(Epoch epoch, std::span<SampleId> order) {
  sampler_->begin(epoch, order);
  for (SampleId& id : order) id = ids_[id];
}

}  // namespace benchbench
