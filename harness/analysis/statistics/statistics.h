// The few statistics that a report needs. Pure functions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/analysis/statistics/estimate.h"

namespace benchbench {

double mean_of(std::span<const double> values) noexcept;             // 0 where there are none
double standard_deviation(std::span<const double> values) noexcept;  // n - 1; 0 under two values
// The middle one in order, of an even number the lower of the two; 0 where there are none.
double lower_median(std::vector<double> values) noexcept;

// The middle one in order, of an even number the mean of both. At least one value.
double median_of(std::vector<double> values);

// Returns the mean of the numbers that `number` gives of the elements, over those that have one;
// nullopt where none has.
template <class Range, class Number>
std::optional<double> mean_known(Range&& range, Number number) {
  std::vector<double> values;
  for (const auto& element : range)
    if (const auto value = number(element)) values.push_back(static_cast<double>(*value));
  return values.empty() ? std::nullopt : std::optional(mean_of(values));
}
// mean ± t·s/√n. nullopt of no values; low == high == value of one.
Measured estimate_mean(std::span<const double> values);
// The same of logarithms, brought back: a geometric mean whose interval is a factor. For rates and
// ratios.
Measured estimate_from_logs(std::span<const double> logs);

// Above 0 with its whole interval; one value alone need only be above it.
inline bool is_clear(const Estimate& e) noexcept { return e.n < 2 ? e.value > 0 : e.low > 0; }

// The standard deviation within groups, pooled, with its degrees of freedom; nullopt without a
// group of two.
struct PooledSpread {
  double deviation = 0, freedom = 0;
};
std::optional<PooledSpread> spread_within(std::span<const std::vector<double>> groups);

// How far apart two identical trials lay, from groups of repeats (one group a round; logs of
// rates). `value`: 95 of 100 such pairs differ by less, t·s·√2 with the pooled spread s within
// groups; `low` the median and `high` the largest difference seen; `n` pairs. Shares: 0.03 is a
// factor of 1.03. nullopt without a group of two.
Measured repeat_difference(std::span<const std::vector<double>> groups);

// The sign test: the chance, both sides, that fair draws fall so unevenly on two sides or more so.
double sign_test_p(std::size_t one, std::size_t other);

}  // namespace benchbench
