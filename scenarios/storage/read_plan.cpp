#include "scenarios/storage/read_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace benchbench {

void ReadPlan::make(const SampleExtents& extents, std::span<const SampleRef> samples,
                    std::uint64_t max) {
  requests_.clear();
  samples_.clear();
  for (const SampleRef& sample : samples)
    samples_.push_back({.request = 0, .id = sample.id, .extent = extents.extent(sample.id)});
  by_place_.resize(samples_.size());
  std::iota(by_place_.begin(), by_place_.end(), 0u);
  std::ranges::sort(by_place_, [&](std::uint32_t a, std::uint32_t b) {
    const Extent &x = samples_[a].extent, &y = samples_[b].extent;
    return x.file != y.file ? x.file < y.file : x.offset != y.offset ? x.offset < y.offset : a < b;
  });
  merge(max);
  order();
}

void ReadPlan::merge(std::uint64_t max) {
  for (const std::uint32_t i : by_place_) {
    PlannedSample& sample = samples_[i];
    const Extent& e = sample.extent;
    if (!requests_.empty() && e.length != Extent::kToTheEnd) {
      ReadRequest& r = requests_.back();
      const bool same = r.extent.file == e.file && r.extent.length != Extent::kToTheEnd;
      const std::uint64_t end =
          same ? std::max(r.extent.offset + r.extent.length, e.offset + e.length) : 0;
      if (same && e.offset <= r.extent.offset + r.extent.length + kMaxBetween &&
          end - r.extent.offset <= max) {
        r.extent.length = end - r.extent.offset;
        r.last = sample.id;
        ++r.samples;
        sample.request = static_cast<std::uint32_t>(requests_.size() - 1);
        continue;
      }
    }
    sample.request = static_cast<std::uint32_t>(requests_.size());
    requests_.push_back({.extent = e, .first = sample.id, .last = sample.id, .samples = 1});
  }
}

// In the order of first need: what the worker wants first is read first.
void ReadPlan::order() {
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  renumbered_.assign(requests_.size(), kNone);
  ordered_.clear();
  for (PlannedSample& sample : samples_) {
    std::uint32_t& number = renumbered_[sample.request];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(ordered_.size());
      ordered_.push_back(requests_[sample.request]);
    }
    sample.request = number;
  }
  std::swap(requests_, ordered_);
}

}  // namespace benchbench
