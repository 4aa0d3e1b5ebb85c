// What every draw of a trial is made from.
#pragma once
#include <cstdint>

#include "harness/core/random.h"
#include "harness/part/description.h"
#include "harness/record/resolved_settings.h"

namespace benchbench {

// Of one round: from measure.seed, the part's own seed and the round, apart for each kind of part.
// Nothing else goes in, so that all points, modes and repeats of a round draw alike and are
// compared in pairs, while rounds are repetitions.
struct RoundSeeds {
  std::uint64_t order = 0;   // the sampler's
  std::uint64_t loader = 0;  // the loader's, and those of its samples
  std::uint64_t trainer = 0;
  // Draws the samples that are kept, which are the same in every round.
  std::uint64_t kept = 0;
};

inline RoundSeeds seeds_of(const ResolvedSettings& s, std::uint32_t round) noexcept {
  const auto seed = [&](PartKind kind, std::uint64_t own) {
    return mix_seed(s.measure.seed, kind, own, round);
  };
  return {.order = seed(PartKind::sampler, s.loader.seed),
          .loader = seed(PartKind::loader, s.loader.seed),
          .trainer = seed(PartKind::trainer, s.trainer.seed),
          .kept = mix_seed(s.measure.seed, PartKind::sampler, s.loader.seed)};
}

// The sample of `samples` with which storage order begins in a round: the first in round 0, then
// places as far from all before as can be (multiples of the golden ratio). A window that is shorter
// than an epoch would otherwise see the same samples in every round; see
// harness/decisions/storage-order-goes-round.md.
inline std::uint64_t first_sample(std::uint32_t round, std::uint64_t samples) noexcept {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ull;  // 2^64 / 1.618...
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(kGolden * round) * samples >>
                                    64);
}

}  // namespace benchbench
