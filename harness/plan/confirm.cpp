#include "harness/plan/confirm.h"

namespace benchbench {

std::uint32_t rounds_to_confirm(std::uint64_t comparisons) noexcept {
  std::uint32_t rounds = 1;
  double p = 1;  // 2/2^rounds
  while (p >= 0.002 || p * static_cast<double>(comparisons) > 0.05) {
    p /= 2;
    ++rounds;
  }
  return rounds;
}

}  // namespace benchbench
