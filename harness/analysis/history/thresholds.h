// What a t statistic must exceed at one nightly look.
#pragma once
#include <cstddef>

namespace benchbench {

// Of a split with so many nights before and after it, at least kNightsBefore and kNightsAfter; of a
// line through so many nights, at least kDriftNights. Made by scripts/history_threshold by
// simulation: what each statistic exceeds without a change with one small probability (five times
// that of a line, where 4 or 5 nights are on one side, and from 30 nights on), chosen such that
// looking every night, at every split and for a line, gives half of 1 false alarm in 300
// metric-months.
double split_threshold(std::size_t before, std::size_t after) noexcept;
double line_threshold(std::size_t nights) noexcept;

}  // namespace benchbench
