// How many rounds a verdict on one point needs.
#pragma once
#include <cstdint>

namespace benchbench {

// The fewest rounds at which one point among `comparisons`, alone different, could be confirmed:
// the exact signed-rank test's smallest p over n rounds is 2/2^n; a difference is confirmed at p <
// 0.002 and Benjamini-Hochberg q <= 0.05 over all comparisons, which for a single finding is p *
// comparisons <= 0.05.
constexpr std::uint32_t rounds_to_confirm(std::uint64_t comparisons) noexcept {
  std::uint32_t rounds = 1;
  double p = 1;  // 2/2^rounds
  while (p >= 0.002 || p * static_cast<double>(comparisons) > 0.05) {
    p /= 2;
    ++rounds;
  }
  return rounds;
}

}  // namespace benchbench
