// Fisher–Yates, the same on every machine.
#pragma once
#include <cstdint>
#include <span>
#include <utility>

#include "harness/core/random.h"

namespace benchbench {

template <class T>
void permute(std::span<T> items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace benchbench
