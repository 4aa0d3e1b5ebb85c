// Fisher–Yates, the same on every machine.
#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "harness/core/random.h"

namespace benchbench {

template <class T>
void permute(std::span<T> items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

// Fills it with 0, 1, ... in random order.
inline void draw_permutation(std::span<std::uint64_t> places, Random& random) {
  std::iota(places.begin(), places.end(), std::uint64_t{0});
  permute(places, random);
}

}  // namespace benchbench
