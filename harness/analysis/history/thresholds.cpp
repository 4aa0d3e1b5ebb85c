#include "harness/analysis/history/thresholds.h"

#include <algorithm>
#include <array>

namespace benchbench {
namespace {

// Nights on the smaller side; of those before the split two less, since it takes at least two more
// of them.
constexpr std::array<std::size_t, 5> kColumns{4, 5, 6, 8, 12};

struct Row {
  std::size_t nights;  // in the window, to the next row's
  std::array<double, kColumns.size()> split;
  double line;
};
// As `scripts/history_threshold 200000` prints it: exceeded by 5e-06.
constexpr std::array<Row, 9> kRows{{
    {10, {10.83, 10.83, 10.83, 10.83, 10.83}, 0},
    {12, {9.43, 9.79, 9.79, 9.79, 9.79}, 0},
    {14, {7.58, 7.48, 8.80, 8.80, 8.80}, 0},
    {16, {7.28, 7.26, 9.29, 9.29, 9.29}, 0},
    {20, {6.76, 6.38, 7.78, 7.86, 7.86}, 6.10},
    {24, {5.75, 6.15, 7.43, 6.81, 6.81}, 6.10},
    {30, {5.50, 5.50, 5.58, 5.53, 5.72}, 5.85},
    {40, {5.58, 5.22, 5.08, 5.20, 5.28}, 5.68},
    {50, {5.32, 4.98, 5.08, 4.99, 4.92}, 5.61},
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
