// The samples that a job keeps of a data set: dataset.keep.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "harness/part/sampler.h"

namespace benchbench {

// Returns `count` ids below `samples`, ascending, each set of so many as likely as any other. It
// depends on its arguments alone.
std::vector<SampleId> choose_samples(std::uint64_t samples, std::uint64_t count,
                                     std::uint64_t seed);

// Returns `count` of the ids of `labels`, ascending: all samples of one class after the other, the
// classes in an order drawn by `seed`; of the last class the first ones. It depends on its
// arguments alone.
std::vector<SampleId> choose_classes(std::span<const std::int64_t> labels, std::uint64_t count,
                                     std::uint64_t seed);

// Makes the order of a data set; its views live as long as the order.
using OrderFactory = std::function<std::unique_ptr<Sampler>(const Layout&)>;

// The order of the kept samples: what `order` makes of a data set of these alone, in storage order.
class KeptOrder final : public Sampler {
 public:
  KeptOrder(const Layout& all, std::vector<SampleId> ids, const OrderFactory& order);
  std::uint64_t samples_per_epoch() const noexcept override {
    return sampler_->samples_per_epoch();
  }
  void begin(Epoch epoch, std::span<SampleId> order) override;

 private:
  std::vector<SampleId> ids_;
  std::vector<std::uint64_t> shard_ends_;
  std::vector<std::uint32_t> lengths_;
  std::unique_ptr<Sampler> sampler_;  // last: its views lead into the others
};

}  // namespace benchbench
