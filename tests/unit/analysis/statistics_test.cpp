#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/statistics/difference.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace benchbench {
namespace statistics_test {

double t_factor(double freedom, double errors = 0.05) {
  return Shift{0, 1, freedom, 0}.half(errors);
}

TEST_CASE("statistics: a mean of three has the interval that the t table gives",
          "[unit][analysis]") {
  // s = 1, t(2) = 4.302653, so half of it is 4.302653 / sqrt(3) = 2.484138.
  const std::vector<double> values{9, 10, 11};
  const Measured e = estimate_mean(values);
  REQUIRE(e);
  CHECK(e->value == Approx(10));
  CHECK(e->high - e->value == Approx(2.484138).epsilon(1e-6));
  CHECK(e->value - e->low == Approx(2.484138).epsilon(1e-6));
  CHECK(e->n == 3);
}

TEST_CASE("statistics: t factors are the table's", "[unit][analysis]") {
  CHECK(t_factor(1) == Approx(12.7062047).epsilon(1e-7));
  CHECK(t_factor(2) == Approx(4.3026527).epsilon(1e-7));
  CHECK(t_factor(9) == Approx(2.2621572).epsilon(1e-7));
}

TEST_CASE("statistics: no value has no estimate, one has no interval", "[unit][analysis]") {
  CHECK_FALSE(estimate_mean({}));
  const std::vector<double> one{7};
  const Measured e = estimate_mean(one);
  REQUIRE(e);
  CHECK(e->low == 7);
  CHECK(e->high == 7);
  CHECK(e->n == 1);
}

TEST_CASE("statistics: rates are averaged as factors", "[unit][analysis]") {
  // The geometric mean of 50 and 200 is 100; the interval is the same factor up and down.
  const std::vector<double> logs{std::log(50.0), std::log(200.0)};
  const Measured e = estimate_from_logs(logs);
  REQUIRE(e);
  CHECK(e->value == Approx(100));
  CHECK(e->high / e->value == Approx(e->value / e->low));
  // s = ln(4)/sqrt(2), half = 12.7062 * s / sqrt(2) = 12.7062 * ln(2).
  CHECK(std::log(e->high / e->value) == Approx(12.7062047 * std::log(2.0)));
}

TEST_CASE("statistics: repeats tell how far apart identical trials lie", "[unit][analysis]") {
  // One round of three with logs 0, 0.01, 0.02: s = 0.01, two degrees of freedom.
  const std::vector<std::vector<double>> one{{0, 0.01, 0.02}};
  const Measured e = repeat_difference(one);
  REQUIRE(e);
  CHECK(e->value == Approx(std::expm1(4.3026527 * 0.01 * std::sqrt(2.0))));
  CHECK(e->low == Approx(std::expm1(0.01)));  // differences 0.01, 0.01, 0.02
  CHECK(e->high == Approx(std::expm1(0.02)));
  CHECK(e->n == 3);
  // A drift between rounds is no difference within one.
  const std::vector<std::vector<double>> drifting{{0, 0.01}, {5, 5.01}};
  CHECK(repeat_difference(drifting)->high == Approx(std::expm1(0.01)));
  const std::vector<std::vector<double>> single{{0}, {0.1}};
  CHECK_FALSE(repeat_difference(single));
}

}  // namespace statistics_test
}  // namespace benchbench
