#include "harness/analysis/statistics/difference.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace benchbench {
namespace comparison_test {

// B is `factor` times A in every round, but for a small zigzag.
ComparedRates shifted(std::size_t n, double factor, double zigzag = 0.002) {
  ComparedRates r;
  for (std::size_t i = 0; i < n; ++i) {
    // Rounds differ: within them nothing does.
    const double round = 0.05 * static_cast<double>(i % 4);
    r.a.push_back(std::log(100) + round);
    r.b.push_back(std::log(100 * factor) + round +
                  (i % 2 ? zigzag : -zigzag) * (1 + 0.1 * static_cast<double>(i)));
  }
  return r;
}

Comparison one(const ComparedRates& rates) { return compare_all(std::span(&rates, 1)).front(); }

TEST_CASE("comparison: all three conditions are needed", "[unit][analysis]") {
  const Comparison slower = one(shifted(10, 0.95));
  CHECK(slower.difference == Difference::slower);
  CHECK(slower.p == Approx(2.0 / 1024));
  CHECK(slower.ratio->value == Approx(0.95).epsilon(0.01));
  CHECK(one(shifted(12, 1.05)).difference == Difference::faster);
  // 2 % is clear, and still too little to call: within 3 %, so it is told as the same, with what
  // would have been seen.
  const Comparison small = one(shifted(12, 0.98));
  CHECK(small.ratio->high < 1);
  CHECK(small.difference == Difference::same);
  REQUIRE(small.detectable);
  // Half of all changes of 3 % are seen smaller, by chance: what is found 8 times in 10 lies 0.84
  // errors beyond. The divisor is 95 % of Student's t with 11 degrees of freedom.
  const double error = std::log(small.ratio->high / small.ratio->value) / 2.201;
  CHECK(error > 0.0005);
  CHECK(*small.detectable == Approx(0.03 + 0.8416 * error).epsilon(0.001));
}

TEST_CASE("comparison: nine rounds cannot speak, whatever they show", "[unit][analysis]") {
  const Comparison c = one(shifted(9, 0.5));
  CHECK_FALSE(c.speaks);
  CHECK(c.difference == Difference::unsure);
  CHECK_FALSE(c.detectable);
  CHECK(c.ratio->value == Approx(0.5).epsilon(0.01));
  CHECK(one(shifted(10, 0.5)).speaks);
  CHECK(one(shifted(1, 0.5)).ratio->n == 1);
  CHECK_FALSE(one(ComparedRates{}).ratio);
}

TEST_CASE("comparison: what is wide is unsure, and says what it could have seen",
          "[unit][analysis]") {
  const Comparison c = one(shifted(12, 1.0, 0.05));
  CHECK(c.difference == Difference::unsure);
  CHECK(*c.detectable > 0.05);
}

TEST_CASE("comparison: one among many must be clearer", "[unit][analysis]") {
  // p = 0.00195 alone; among 100 that show nothing q is 0.195, and it is not called.
  std::vector<ComparedRates> all(100, shifted(10, 1.0));
  all[17] = shifted(10, 0.9);
  const auto among = compare_all(all);
  CHECK(among[17].p < kMinP);
  CHECK(among[17].q == Approx(0.1953).epsilon(0.01));
  CHECK(among[17].difference == Difference::unsure);
  // Those that cannot speak are not counted among them.
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i != 17) all[i] = shifted(5, 1.0);
  CHECK(compare_all(all)[17].difference == Difference::slower);
}

TEST_CASE("comparison: sets that are no pairs take Mann-Whitney", "[unit][analysis]") {
  ComparedRates sets = shifted(7, 0.9, 0.001);
  for (std::size_t i = 0; i < 7; ++i)
    sets.a[i] = std::log(100) + 0.001 * static_cast<double>(i), sets.b[i] = sets.a[i] - 0.1;
  sets.paired = false;
  const Comparison c = one(sets);
  CHECK(c.speaks);
  CHECK(c.p == Approx(2.0 / 3432));
  CHECK(c.difference == Difference::slower);
  sets.a.resize(5), sets.b.resize(5);  // 2/252
  CHECK_FALSE(one(sets).speaks);
}

TEST_CASE("comparison: the interval of sets that are no pairs has Welch's degrees of freedom",
          "[unit][analysis]") {
  // scipy 1.10's ttest_ind(b, a, equal_var=False): t = -0.0716568686, p = 0.9451435541, from which
  // 6.164216 degrees of freedom and t.ppf(0.975, 6.164216) = 2.431197 follow. With n + m - 2 = 17
  // the interval were 0.822 to 1.201.
  ComparedRates sets;
  sets.paired = false;
  sets.a = {4.40, 4.85, 4.55, 4.95, 4.30, 4.75, 4.62};
  sets.b = {4.60, 4.66, 4.59, 4.63, 4.61, 4.57, 4.68, 4.64, 4.62, 4.65, 4.58, 4.67};
  const Comparison c = one(sets);
  REQUIRE(c.ratio);
  CHECK(c.ratio->value == Approx(0.993592047629).epsilon(1e-9));
  CHECK(c.ratio->low == Approx(0.798884268546).epsilon(1e-9));
  CHECK(c.ratio->high == Approx(1.235754909669).epsilon(1e-9));
  std::swap(sets.a, sets.b);  // the smaller set may be either
  CHECK(one(sets).ratio->low == Approx(1 / 1.235754909669).epsilon(1e-9));
}

TEST_CASE("difference: an interval clear of 0 is called from the least change on",
          "[unit][analysis]") {
  CHECK(decide({0.03, 0.01, 0.05, 5}, 0.03) == Difference::faster);
  CHECK(decide({0.03, 0.01, 0.05, 5}, 0.031) == Difference::unsure);
  CHECK(decide({0.03, -0.01, 0.07, 5}, 0) == Difference::unsure);
  CHECK(decide({-0.03, -0.05, -0.01, 5}, 0.03) == Difference::slower);
  CHECK(decide({0, 0, 0, 5}, 0) == Difference::unsure);
  CHECK(decide_rates(std::log(1.03), {0.01, 0.029}) == Difference::faster);
  CHECK(decide_rates(std::log(1.03), {0.01, 0.031}) == Difference::unsure);
  CHECK(decide_rates(std::log(0.97), {0.04, 0}) == Difference::unsure);
}

TEST_CASE("difference: the floor of one pair is less of n, and errors are shared",
          "[unit][analysis]") {
  const Shift shift{0.1, 0.01, 8, 9};
  CHECK(make_bar(shift, {.floor = 0.3}).least == Approx(0.1));
  CHECK(make_bar(shift, {.least = 0.2, .floor = 0.3}).least == Approx(0.2));
  CHECK(make_bar(shift, {}).half == Approx(0.02306004));  // t.ppf(0.975, 8) of scipy 1.10
  CHECK(make_bar(shift, {.comparisons = 5}).half == Approx(0.03355387));  // t.ppf(0.995, 8)
  CHECK(make_bar(shift, {.cut = 0.05}).half == Approx(0.05));
}

TEST_CASE("difference: a shift without an error is what was seen", "[unit][analysis]") {
  const Shift one = shift_of_pairs(std::vector<double>{0.5});
  CHECK(one.half() == 0);
  CHECK(one.chance_above(0.4) == 1);
  CHECK(one.chance_above(0.6) == 0);
  CHECK(Shift{1, 0.5, 4, 5}.chance_above(1) == Approx(0.5));
  CHECK(Shift{0, 1, 4, 5}.chance_above(2.131847) == Approx(0.05).epsilon(1e-5));
  CHECK(shift_of_sets(std::vector<double>{}, std::vector<double>{1.0}).n == 0);
}

}  // namespace comparison_test
}  // namespace benchbench
