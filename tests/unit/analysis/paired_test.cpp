#include "harness/analysis/choice/paired.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "harness/analysis/statistics/difference.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace paired_test {

double t_factor(double freedom, double errors = 0.05) {
  return Shift{0, 1, freedom, 0}.half(errors);
}

// Rounds of a base at 100 samples/s, and of another with these ratios to it.
Paired against(const std::vector<double>& ratios, PairedRule rule = {}) {
  ByRound base, other;
  for (std::uint32_t i = 0; i < ratios.size(); ++i) {
    base[i] = std::log(100.0 + 10 * i);  // what a round does to both cancels out
    other[i] = base[i] + std::log(ratios[i]);
  }
  return compare_paired(other, base, rule);
}

TEST_CASE("paired: one round shows nothing, and none is no comparison", "[unit][analysis]") {
  const Paired one = against({3});
  CHECK(one.shown == Shown::not_shown);
  CHECK(one.ratio->value == Approx(3));
  CHECK_FALSE(one.detectable);
  CHECK(against({}).shown == Shown::not_compared);
  CHECK(compare_paired({{0, 1.0}}, {{1, 1.0}}, {}).shown == Shown::not_compared);
}

TEST_CASE("paired: only rounds of both count, and what a round does to both cancels out",
          "[unit][analysis]") {
  const Paired p =
      compare_paired({{0, 1.0}, {1, 2.0}, {2, 9.0}}, {{0, 0.5}, {1, 1.5}, {3, 0.0}}, {});
  CHECK(p.ratio->n == 2);
  CHECK(p.ratio->value == Approx(std::exp(0.5)));
  CHECK(p.shown == Shown::faster);
}

TEST_CASE("paired: an interval that holds 1 shows no difference, and says what it would have shown",
          "[unit][analysis]") {
  // Logs of 1.2 and 0.9 in turn: the mean 0.0385, s = 0.1575 of six.
  const std::vector<double> ratios{1.2, 0.9, 1.2, 0.9, 1.2, 0.9};
  const Paired p = against(ratios);
  CHECK(p.shown == Shown::not_shown);
  CHECK(p.ratio->low < 1);
  CHECK(p.ratio->high > 1);
  const double s = 0.5 * std::log(1.2 / 0.9) * std::sqrt(6.0 / 5);
  CHECK(*p.detectable == Approx(std::expm1(t_factor(5) * s / std::sqrt(6.0))));
}

TEST_CASE("paired: from five rounds on 2 % are shown, under them 10 %", "[unit][analysis]") {
  constexpr double kHair = 1e-6;
  for (const std::uint32_t rounds : {2u, 4u, 5u, 10u}) {
    const double enough = rounds < 5 ? 0.10 : 0.02;
    const auto all = [&](double ratio) { return against(std::vector<double>(rounds, ratio)); };
    INFO(rounds << " rounds");
    CHECK(all(1 + enough + kHair).shown == Shown::faster);
    CHECK(all(1 - enough - kHair).shown == Shown::slower);
    CHECK(*all(1.5).detectable == Approx(enough));
    if (rounds >= 5) continue;
    CHECK(all(1 + enough - kHair).shown == Shown::not_shown);
    CHECK(all(1 - enough + kHair).shown == Shown::not_shown);
  }
}

TEST_CASE("paired: where times are exact, 2 % are shown by two rounds, and all else as elsewhere",
          "[unit][analysis]") {
  CHECK(against({1.021, 1.021}, {.exact = true}).shown == Shown::faster);
  CHECK(against({0.979, 0.979}, {.exact = true}).shown == Shown::slower);
  CHECK(against({1.019, 1.019}, {.exact = true}).shown == Shown::same);
  CHECK(against({1.021}, {.exact = true}).shown == Shown::not_shown);
  CHECK(*against({1.5, 1.5, 1.5}, {.exact = true}).detectable == Approx(0.02));
  // What is drawn differs: the mean of the logs is 0.0392, and of three with s = 0.0096 the half is
  // 4.303 s / √3 = 0.0239.
  const std::vector<double> drawn{1.03, 1.04, 1.05};
  CHECK(against(drawn, {.comparisons = 1, .exact = true}).shown == Shown::faster);
  CHECK(against(drawn, {.comparisons = 20, .exact = true}).shown == Shown::not_shown);
  CHECK(against(drawn, {.comparisons = 1}).shown == Shown::not_shown);
  CHECK(*against(drawn, {.comparisons = 20, .exact = true}).detectable == Approx(0.05));
  // From 5 % on its own interval is enough, as from 10 % on the real clock.
  CHECK(against({1.04, 1.055, 1.07}, {.comparisons = 12, .exact = true}).shown == Shown::faster);
  CHECK(against({1.04, 1.055, 1.07}, {.comparisons = 12}).shown == Shown::not_shown);
  for (const bool exact : {false, true})
    CHECK(against({1.15, 1.24, 1.33}, {.comparisons = 12, .exact = exact}).shown == Shown::faster);
}

TEST_CASE("paired: the same is an interval within 2 % of 1", "[unit][analysis]") {
  CHECK(against({1.019, 1.019, 1.019}).shown == Shown::same);
  CHECK(against({0.981, 0.981, 0.981}).shown == Shown::same);
  // Seen from the other it is 2.01 %.
  CHECK(against({1 / 1.0201, 1 / 1.0201, 1 / 1.0201}).shown == Shown::not_shown);
  CHECK(against({1 / 1.0199, 1 / 1.0199, 1 / 1.0199}).shown == Shown::same);
  CHECK(against({1.021, 1.021, 1.021}).shown == Shown::not_shown);
  CHECK(against({1, 1, 1, 1, 1}).shown == Shown::same);
  CHECK(against({1.04, 0.97, 1.04, 0.97, 1.0}).shown == Shown::not_shown);
}

TEST_CASE("paired: what identical trials differ by is shown of nothing, less of more rounds",
          "[unit][analysis]") {
  const std::vector<double> nine(9, 1.09);
  CHECK(against(nine, {.floor = 0.26}).shown == Shown::faster);  // 0.26 / 3 = 8.7 %
  CHECK(against(nine, {.floor = 0.28}).shown == Shown::not_shown);
  CHECK(*against(nine, {.floor = 0.28}).detectable == Approx(0.28 / 3));
}

// The largest of many ratios is above 1 by chance: 2.57 standard errors are clear of 1 alone, not
// among twenty.
TEST_CASE("paired: among many comparisons more is needed, from five rounds on",
          "[unit][analysis]") {
  const double d = 0.05, s = 0.045;
  const auto logs = [&](std::uint32_t n) {
    std::vector<double> ratios;
    for (std::uint32_t i = 0; i < n; ++i) ratios.push_back(std::exp(d + (i % 2 ? s : -s)));
    return ratios;
  };
  CHECK(against(logs(10), {.comparisons = 1}).shown == Shown::faster);
  CHECK(against(logs(10), {.comparisons = 20}).shown == Shown::not_shown);
  CHECK(*against(logs(10), {.comparisons = 20}).detectable ==
        Approx(std::expm1(t_factor(9, 0.05 / 20) * s * std::sqrt(10.0 / 9) / std::sqrt(10.0))));
  // The interval that is printed is the one of 95 %.
  CHECK(against(logs(10), {.comparisons = 20}).ratio->low == Approx(against(logs(10)).ratio->low));
  CHECK(against({1.3, 1.5, 1.4, 1.45}, {.comparisons = 1000}).shown == Shown::faster);
}

}  // namespace paired_test
}  // namespace benchbench
