// Makes the tables of harness/analysis/history/thresholds.cpp by simulation; run by
// scripts/history_threshold.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <vector>

#include "harness/analysis/history/look.h"
#include "harness/analysis/history/statistic.h"
#include "harness/analysis/history/thresholds.h"
#include "harness/core/random.h"

namespace benchbench {
namespace {

// The noise of a night's median of five rounds: 2 % nights, 1.5 % rounds, 1 % within, log-normal.
constexpr double kNoise = 0.0224;
constexpr double kBad = 0.05;        // of nights
constexpr std::size_t kNights = 60;  // of a series: two metric-months
constexpr std::array<std::size_t, 9> kRows{10, 12, 14, 16, 20, 24, 30, 40, 50};
constexpr std::array<std::size_t, 5> kColumns{4, 5, 6, 8, 12};
// The two first columns, where a step of 10 % must be found within 4 nights, windows of 30 nights
// or more, which know their noise, and the line, of which a look has one only, are exceeded this
// much more often than the rest.
constexpr std::size_t kEarlyColumns = 2, kLongRow = 30;
constexpr double kMore = 5;

// Bad nights: slower by 5 to 30 %, or each by 30 %.
std::vector<double> series(Random& random, std::size_t nights, bool alike) {
  std::vector<double> v(nights);
  for (double& x : v) {
    x = kNoise * random.normal();
    if (random.uniform() < kBad) x += std::log1p(alike ? -0.3 : -random.uniform(0.05, 0.3));
  }
  return v;
}

std::size_t row_of(std::size_t nights) {
  return static_cast<std::size_t>(std::ranges::upper_bound(kRows, nights) - kRows.begin()) - 1;
}
std::size_t column_of(std::size_t before, std::size_t nights) {
  const std::size_t smaller = std::min(nights - before, before - 2);
  return static_cast<std::size_t>(std::ranges::upper_bound(kColumns, smaller) - kColumns.begin()) -
         1;
}

// Largest first, of so many values in all.
struct Tail {
  std::vector<double> values;
  double exceeded_by(double share) {
    const auto k = static_cast<std::size_t>(share * static_cast<double>(values.size()));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k), values.end(),
                     std::greater<>());
    return values[k];
  }
};

struct Tails {
  std::array<std::array<Tail, kColumns.size()>, kRows.size()> split;
  std::array<Tail, kRows.size()> line;
};

void simulate_row(Tails& tails, std::size_t row, int series_count) {
  const std::size_t n = kRows[row];
  Random random(mix_seed(15, n));
  for (int i = 0; i < series_count; ++i) {
    const auto v = series(random, n, i % 2 == 0);
    const double noise = night_noise(v);
    const Splits splits(v, noise);
    for (std::size_t before = kNightsBefore; before + kNightsAfter <= n; ++before) {
      const Split s = splits.at(before);
      tails.split[row][column_of(before, n)].values.push_back(s.agrees ? s.t : 0);
    }
    if (n < kDriftNights) continue;
    const Line line = line_through(v, noise);
    const bool large =
        std::abs(line.slope) * static_cast<double>(n - 1) >= 2 * kMinDeviations * line.deviation;
    tails.line[row].values.push_back(large ? line.t : 0);
  }
}

struct Table {
  std::array<std::array<double, kColumns.size()>, kRows.size()> split{};
  std::array<double, kRows.size()> line{};
};
Table looked_with;  // the thresholds of look_for_change

Table table_at(Tails& tails, double share) {
  Table t;
  for (std::size_t r = 0; r < kRows.size(); ++r) {
    // The last look of a row may have what its first cannot.
    for (std::size_t c = 0; c < kColumns.size(); ++c)
      t.split[r][c] = tails.split[r][c].values.empty()
                          ? t.split[r][c - 1]
                          : tails.split[r][c].exceeded_by(
                                c < kEarlyColumns || kRows[r] >= kLongRow ? kMore * share : share);
    if (!tails.line[r].values.empty()) t.line[r] = tails.line[r].exceeded_by(kMore * share);
  }
  return t;
}

// False alarms in 300 metric-months, at most one a series, looking every night.
double false_alarms(int series_count, bool alike) {
  Random random(mix_seed(151, alike));
  int count = 0;
  for (int i = 0; i < series_count; ++i) {
    const auto v = series(random, kNights, alike);
    for (std::size_t n = kLearningNights; n <= kNights; ++n) {
      if (!look_for_change(std::span(v).first(n))) continue;
      ++count;
      break;
    }
  }
  return 300.0 * count / (series_count * kNights / 30.0);
}

void print(const Table& t) {
  for (std::size_t r = 0; r < kRows.size(); ++r) {
    fmt::print("    {{{}, {{", kRows[r]);
    for (const double v : t.split[r]) fmt::print("{:.2f}, ", v);
    fmt::print("}}, {:.2f}}},\n", t.line[r]);
  }
}

}  // namespace

// In place of those of thresholds.cpp.
double split_threshold(std::size_t before, std::size_t after) noexcept {
  const std::size_t nights = before + after;
  return looked_with.split[row_of(nights)][column_of(before, nights)];
}
double line_threshold(std::size_t nights) noexcept { return looked_with.line[row_of(nights)]; }

}  // namespace benchbench

int main(int argc, char** argv) {
  using namespace benchbench;
  const int size = argc > 1 ? std::atoi(argv[1]) : 400000;
  Tails tails;
  for (std::size_t r = 0; r < kRows.size(); ++r) simulate_row(tails, r, size);
  for (const double share : {1e-5, 7e-6, 5e-6, 4e-6}) {
    looked_with = table_at(tails, share);
    fmt::print(
        "exceeded by {:g}: false alarms in 300 metric-months: {:.2f} (bad nights 5 to 30 % "
        "slower), {:.2f} (each 30 %)\n",
        share, false_alarms(size / 10, false), false_alarms(size / 10, true));
    print(looked_with);
  }
}
