// Lines whose answers are known in closed form, next to that with credits.
#pragma once
#include <algorithm>

#include "harness/analysis/statistics/birth_death.h"

namespace benchbench::test {

// A worker keeps its finished batch while the buffer of `buffer` batches is full: up rate min(W,
// W+B+1-k)/make.
inline ChainAnswer chain_with_buffer(std::uint32_t workers, std::uint32_t buffer, double make,
                                     double step) {
  return solve_chain(workers, workers + buffer + 1, make, step,
                     [=](std::uint32_t k) { return std::min(workers, workers + buffer + 1 - k); });
}

// One worker, n credits, means x (loader) and y (trainer): a step takes x + y P(n).
inline double one_worker_step(double x, double y, std::uint32_t credits) {
  if (x == y) return x + y / (credits + 1);
  const double r = x / y;
  double power = 1;
  for (std::uint32_t i = 0; i <= credits; ++i) power *= r;
  return x + y * (1 - r) / (1 - power);
}

}  // namespace benchbench::test
