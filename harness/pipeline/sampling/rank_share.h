// Which positions of an epoch's order belong to one rank.
#pragma once
#include <cstdint>

#include "harness/part/sampler.h"

namespace benchbench {

// Rank r of w takes positions r, r+w, r+2w, ...: every rank the same number, so that a barrier
// never waits for a rank that has one batch more. The up to w-1 positions left over are given to no
// rank in that epoch (with one rank there are none); a shuffling sampler leaves out other samples
// each epoch.
class RankShare {
 public:
  // Throws PartError where there are no samples, fewer than ranks, or the rank is not below the
  // world's size.
  explicit RankShare(const SamplerContext& context);
  std::uint64_t samples() const noexcept { return samples_; }
  std::uint64_t all() const noexcept { return all_; }
  std::uint64_t position(std::uint64_t i) const noexcept { return i * world_ + rank_; }
  // The sample at this rank's i-th position in storage order, which begins with the context's
  // `first` and goes round.
  std::uint64_t stored(std::uint64_t i) const noexcept {
    const std::uint64_t at = position(i);
    return at < all_ - first_ ? first_ + at : at - (all_ - first_);
  }

 private:
  std::uint64_t all_;
  std::uint64_t first_;
  std::uint32_t rank_;
  std::uint32_t world_;
  std::uint64_t samples_;
};

// A sampler that draws from the context's seed, and gives a rank its share.
class SeededSampler : public Sampler {
 public:
  explicit SeededSampler(const SamplerContext& context) : share_(context), seed_(context.seed) {}
  std::uint64_t samples_per_epoch() const noexcept override { return share_.samples(); }

 protected:
  RankShare share_;
  std::uint64_t seed_;
};

}  // namespace benchbench
