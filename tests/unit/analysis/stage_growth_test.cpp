#include "harness/analysis/components/stage_growth.h"

#include <catch2/catch.hpp>

namespace benchbench::stage_growth_test {
namespace {

ByRound rounds_of(const std::vector<double>& ms) {
  ByRound out;
  for (std::uint32_t round = 0; round < ms.size(); ++round) out[round] = ms[round];
  return out;
}

const std::vector<double> kA{1.00, 1.02, 0.98, 1.01, 0.99, 1.03,
                             0.97, 1.00, 1.01, 0.99, 1.02, 0.98};

std::vector<double> shifted(double by) {
  std::vector<double> out;
  for (const double ms : kA) out.push_back(ms + by);
  return out;
}

}  // namespace

TEST_CASE("stage growth: of paired rounds what they differ by, exactly where all differ alike",
          "[unit][analysis]") {
  const Measured m = growth_of(rounds_of(kA), rounds_of(shifted(0.5)), Rounds::shared);
  REQUIRE(m);
  CHECK(m->value == Approx(0.5));
  CHECK(m->low == Approx(0.5));
  CHECK(m->high == Approx(0.5));
  CHECK(m->n == 12);
}

TEST_CASE("stage growth: of two sets the shift, which one outlier hardly changes",
          "[unit][analysis]") {
  // Mann and Whitney's exact interval holds the shift and excludes 0; one outlier changes next to
  // nothing.
  std::vector<double> b = shifted(0.5);
  const Measured clean = growth_of(rounds_of(kA), rounds_of(b), Rounds::apart);
  b[3] = 50;
  const Measured outlier = growth_of(rounds_of(kA), rounds_of(b), Rounds::apart);
  REQUIRE((clean && outlier));
  CHECK(clean->value == Approx(0.5).margin(0.011));
  CHECK(clean->low > 0.47);
  CHECK(clean->high < 0.53);
  CHECK(outlier->value == Approx(0.5).margin(0.011));
  CHECK(outlier->low > 0.47);
  CHECK(outlier->high < 0.55);
}

TEST_CASE("stage growth: single slow rounds do not hide what all others show", "[unit][analysis]") {
  std::vector<double> b = shifted(0.2);
  b[0] = 9, b[5] = 0.3;
  const Measured m = growth_of(rounds_of(kA), rounds_of(b), Rounds::shared, 8);
  REQUIRE(m);
  CHECK(m->value == Approx(0.2).margin(0.001));
  CHECK(m->low > -0.4);
  b[5] = 1.23;
  CHECK(growth_of(rounds_of(kA), rounds_of(b), Rounds::shared, 8)->low > 0);
}

TEST_CASE("stage growth: more stages, wider intervals; no shift holds 0", "[unit][analysis]") {
  const std::vector<double> b{1.3, 1.1, 1.2, 1.5, 1.05, 1.25, 1.4, 1.15, 1.35, 1.45, 1.0, 1.22};
  const Estimate one = *growth_of(rounds_of(kA), rounds_of(b), Rounds::shared, 1),
                 ten = *growth_of(rounds_of(kA), rounds_of(b), Rounds::shared, 10);
  CHECK(ten.low < one.low);
  CHECK(ten.high > one.high);
  const Estimate none =
      *growth_of(rounds_of(kA),
                 rounds_of({1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 1.0, 0.99, 1.02, 0.97, 0.99, 1.02}),
                 Rounds::shared);
  CHECK(none.low <= 0);
  CHECK(none.high >= 0);
}

TEST_CASE(
    "stage growth: a stage that one side lacks took nothing there; "
    "the largest in a direction is named",
    "[unit][analysis]") {
  const std::vector<StageTimes> a{{"read", rounds_of(kA)}, {"decode", rounds_of(shifted(1))}};
  const std::vector<StageTimes> b{{"read", rounds_of(shifted(-0.3))},
                                  {"decode", rounds_of(shifted(1))},
                                  {"checkpoint", rounds_of(kA)}};
  const auto growths = stage_growths(a, b, Rounds::shared);
  REQUIRE(growths.size() == 3);
  CHECK(growths[0].name == "checkpoint");
  CHECK(largest_growth(growths, 1, 0.1)->name == "checkpoint");
  CHECK(largest_growth(growths, -1, 0.1)->name == "read");
  CHECK(largest_growth(growths, -1, 0.5) == nullptr);
  CHECK(stage_growths({}, b, Rounds::shared).empty());
  CHECK_FALSE(growth_of(rounds_of({1}), rounds_of({2}), Rounds::shared));
}

}  // namespace benchbench::stage_growth_test
