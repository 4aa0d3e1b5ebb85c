// Which samples, in which order. The harness owns it; exactly once an epoch is its promise.
#pragma once
#include <memory>
#include <span>

#include "harness/part/loader.h"

namespace benchbench {

struct SamplerContext {
  Layout layout;
  std::uint64_t seed = 0;
  std::uint32_t rank = 0;
  std::uint32_t world = 1;
  std::uint32_t batch_size = 1;   // for samplers that put alike samples into one batch
  const Settings& settings;
};

// Fills the order of one epoch for this rank. Deterministic in (seed, epoch). One thread.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual std::uint64_t samples_per_epoch() const noexcept = 0;
  // `order` has samples_per_epoch() elements.
  virtual void begin(Epoch epoch, std::span<SampleId> order) = 0;
};
using SamplerFactory = std::unique_ptr<Sampler> (*)(const SamplerContext&);

}  // namespace benchbench
