#include "harness/analysis/history/self_check.h"

#include <map>

#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
SelfCheck self_check(std::span<const std::pair<std::size_t, bool>> changes, std::size_t nights) {
  std::map<std::size_t, int> ways;  // 1 worse, 2 better, 3 both
  for (const auto& [night, worse] : changes) ways[night] |= worse ? 1 : 2;
  SelfCheck out;
  for (const auto& [night, way] : ways) {
    out.worse += way == 1;
    out.better += way == 2;
  }
  out.p = sign_test_p(out.worse, out.better);
  out.biased = nights >= kSelfCheckNights && out.p < kSelfCheckP;
  return out;
}

}  // namespace benchbench
