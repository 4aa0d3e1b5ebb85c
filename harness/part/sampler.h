// Which samples, in which order. Each sample exactly once an epoch is its promise; ranks share an
// epoch without overlap.
#pragma once
#include <memory>
#include <span>

#include "harness/part/loader.h"

namespace benchbench {

// What a sampler is made with. Valid during the factory's call; what the views in `layout` lead to
// outlives the sampler.
struct SamplerContext {
  Layout layout;           // Loader::layout()
  std::uint64_t seed = 0;  // the round's
  // The sample with which storage order begins and goes round; below layout.samples.
  std::uint64_t first = 0;
  std::uint32_t rank = 0;        // 0 to world - 1
  std::uint32_t world = 1;       // ranks that share the data set
  std::uint32_t batch_size = 1;  // for samplers that put alike samples into one batch
  const Settings& settings;      // every parameter of its description
};

// The order of one epoch after the other, for one rank. Made by the row's SamplerFactory on the
// trial's thread, after the loader. The harness cuts the orders into batches, without a gap between
// epochs.
class Sampler {
 public:
  virtual ~Sampler() = default;
  // Of this rank: layout.samples / world, the same for all ranks, so that up to world - 1 samples
  // of an epoch are nobody's. At least 1. Does not change.
  virtual std::uint64_t samples_per_epoch() const noexcept = 0;
  // Writes all of `order`, which has samples_per_epoch() elements: ids below layout.samples, none
  // twice. Depends on seed and epoch alone, not on the epochs asked for before. One thread at a
  // time, not always the same: as a rule the worker that needs the epoch's first batch, while
  // others wait for it. What it throws ends the trial.
  virtual void begin(Epoch epoch, std::span<SampleId> order) = 0;
};
// Makes a sampler, never nullptr. Throws PartError where the rank would get no sample, or is not
// below `world`.
using SamplerFactory = std::unique_ptr<Sampler> (*)(const SamplerContext&);

}  // namespace benchbench
