// The samples that a job keeps of a data set: dataset.keep.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/part/sampler.h"

namespace benchbench {

// Returns `count` ids below `samples`, ascending, each set of so many as likely as any other. It
// depends on its arguments alone.
std::vector<SampleId> choose_samples(std::uint64_t samples, std::uint64_t count,
                                     std::uint64_t seed);

// A data set of the kept samples alone, in storage order: sample i of it is the i-th kept one.
class KeptSamples {
 public:
  KeptSamples(const Layout& all, std::vector<SampleId> ids);
  // Views live as long as this.
  Layout layout() const noexcept { return {ids_.size(), shard_ends_, lengths_}; }
  SampleId id(std::uint64_t i) const noexcept { return ids_[i]; }

 private:
  std::vector<SampleId> ids_;
  std::vector<std::uint64_t> shard_ends_;
  std::vector<std::uint32_t> lengths_;
};

// Returns the order that `sampler`, made for kept->layout(), gives these samples.
std::unique_ptr<Sampler> order_kept(std::unique_ptr<const KeptSamples> kept,
                                    std::unique_ptr<Sampler> sampler);

}  // namespace benchbench
