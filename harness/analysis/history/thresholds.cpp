#include "harness/analysis/history/thresholds.h"

#include <algorithm>
#include <array>

namespace benchbench {
namespace {

// Nights on the smaller side; of those before the split two less, since it takes at least two more of them.
constexpr std::array<std::size_t, 5> kColumns{4, 5, 6, 8, 12};

struct Row {
  std::size_t nights;   // in the window, to the next row's
  std::array<double, kColumns.size()> split;
  double line;
};
// As `scripts/history_threshold 200000` prints it: exceeded by 7e-06.
constexpr std::array<Row, 9> kRows{{
    {10, {10.50, 10.50, 10.50, 10.50, 10.50}, 0},
    {12, {8.77, 9.54, 9.54, 9.54, 9.54}, 0},
    {14, {7.31, 7.38, 8.80, 8.80, 8.80}, 0},
    {16, {7.18, 7.09, 9.19, 9.19, 9.19}, 0},
    {20, {6.64, 6.23, 7.73, 7.68, 7.68}, 6.09},
    {24, {5.66, 5.82, 7.33, 6.76, 6.76}, 6.06},
    {30, {5.39, 5.32, 5.50, 5.39, 5.62}, 5.75},
    {40, {5.38, 5.13, 5.04, 5.06, 5.11}, 5.65},
    {50, {5.22, 4.89, 4.93, 4.89, 4.80}, 5.59},
}};

const Row& row_of(std::size_t nights) noexcept {
  const auto next = std::ranges::upper_bound(kRows, nights, {}, &Row::nights);
  return next == kRows.begin() ? kRows.front() : *(next - 1);
}

}  // namespace

double split_threshold(std::size_t before, std::size_t after) noexcept {
  const std::size_t smaller = std::max(kColumns.front(), std::min(after, before - 2));
  const auto next = std::ranges::upper_bound(kColumns, smaller);
  return row_of(before + after).split[static_cast<std::size_t>(next - kColumns.begin()) - 1];
}

double line_threshold(std::size_t nights) noexcept { return row_of(nights).line; }

}  // namespace benchbench
