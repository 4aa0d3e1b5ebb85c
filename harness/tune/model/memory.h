// What a point needs of memory, from what others needed.
#pragma once
#include <array>
#include <optional>
#include <span>

#include "harness/tune/problem.h"

namespace benchbench {

inline constexpr std::size_t kMemoryTerms = 3;  // the parent, each worker, each sample held ahead

struct MemoryLaw {
  std::array<double, kMemoryTerms> factor{};  // bytes, of each term
  double error = 0;  // bytes: standard deviation of what was measured about the law
  double at(const Space& space, PointId point) const noexcept;
};

// Least squares; nullopt with under 6 trials, or where they do not tell the terms apart.
std::optional<MemoryLaw> fitted_memory(const Space& space, Observations records);

}  // namespace benchbench
