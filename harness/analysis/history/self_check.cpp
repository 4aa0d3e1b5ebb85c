#include "harness/analysis/history/self_check.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace benchbench {
namespace {

// Two-sided, of `few` of n at even odds.
double sign_test_p(std::size_t few, std::size_t n) {
  double ways = 1, sum = 0;
  for (std::size_t k = 0; k <= few; ++k) {
    sum += ways;
    ways *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return std::min(1.0, 2 * sum * std::exp2(-static_cast<double>(n)));
}

}  // namespace

SelfCheck self_check(std::span<const std::pair<std::size_t, bool>> changes, std::size_t nights) {
  std::map<std::size_t, int> ways;  // 1 worse, 2 better, 3 both
  for (const auto& [night, worse] : changes) ways[night] |= worse ? 1 : 2;
  SelfCheck out;
  for (const auto& [night, way] : ways) {
    out.worse += way == 1;
    out.better += way == 2;
  }
  out.p = sign_test_p(std::min(out.worse, out.better), out.worse + out.better);
  out.biased = nights >= kSelfCheckNights && out.p < kSelfCheckP;
  return out;
}

}  // namespace benchbench
