// How well an order is shuffled: a rate without it is not comparable, since neighbours are cheaper
// to read.
#pragma once
#include <optional>
#include <span>

#include "harness/part/batch.h"

namespace benchbench {

struct ShuffleQuality {
  // How far samples lie from their place in storage on average, in units of what a uniform random
  // permutation gives (a third of all): 0 in storage order, 1 shuffled, 1.5 backwards.
  double displacement = 0;
  // The share of samples followed by the one that follows them in storage: 1 in storage order, 1/N
  // shuffled.
  double together = 0;
};

// Of one epoch's order; `all` samples there are, of which it may be a rank's share. Looks at no
// more than a million places, evenly spread. nullopt where there are fewer than two samples, which
// have no order.
std::optional<ShuffleQuality> quality_of(std::span<const SampleId> order, std::uint64_t all);

}  // namespace benchbench
