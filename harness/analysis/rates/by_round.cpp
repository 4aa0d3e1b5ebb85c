#include "harness/analysis/rates/by_round.h"

#include "harness/analysis/statistics/statistics.h"
#include "harness/core/contains.h"

namespace benchbench {

std::vector<double> values_in(const ByRound& numbers) {
  std::vector<double> values;
  for (const auto& [round, value] : numbers) values.push_back(value);
  return values;
}

std::vector<double> differences_within(const ByRound& a, const ByRound& b) {
  std::vector<double> out;
  for (const auto& [round, value] : b)
    if (const double* other = find_value(a, round)) out.push_back(value - *other);
  return out;
}

ByRound mean_by_round(const RepeatsByRound& repeats) {
  ByRound out;
  for (const auto& [round, values] : repeats) out[round] = mean_of(values);
  return out;
}

}  // namespace benchbench
