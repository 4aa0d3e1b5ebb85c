#include "harness/analysis/history/canaries.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

constexpr std::size_t kCompared = 30;  // nights

using Before = std::map<std::string, std::deque<double>>;

CanaryNight compared(const Canaries& night, const Before& before) {
  CanaryNight out;
  for (const auto& [series, value] : night) {
    const auto* known = find_value(before, series);
    if (!known || known->size() < kCanaryNights) continue;
    const double ratio = value / median_of({known->begin(), known->end()});
    if (std::abs(std::log(ratio)) <= std::abs(std::log(out.ratio))) continue;
    out = {std::abs(ratio - 1) > kMinEffect, false, series, ratio};
  }
  if (!out.moved) out.series.clear();
  return out;
}

void remember(const Canaries& night, Before& before) {
  for (const auto& [series, value] : night) {
    before[series].push_back(value);
    if (before[series].size() > kCompared) before[series].pop_front();
  }
}

}  // namespace

std::vector<CanaryNight> judge_canaries(const std::vector<Canaries>& nights) {
  std::vector<CanaryNight> out;
  Before before;
  std::size_t in_a_row = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    out.push_back(compared(nights[i], before));
    if (!nights[i].empty()) in_a_row = out.back().moved ? in_a_row + 1 : 0;
    if (in_a_row == kNewMachineNights) {
      out.back().new_machine = true;
      before.clear();
      in_a_row = 0;
      for (std::size_t k = i + 1 - std::min(i + 1, kNewMachineNights); k <= i; ++k)
        remember(nights[k], before);
    } else if (!out.back().moved) {
      remember(nights[i], before);
    }
  }
  return out;
}

}  // namespace benchbench
