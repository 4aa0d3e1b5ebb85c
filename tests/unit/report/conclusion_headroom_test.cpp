// How far the loader is ahead, in words.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "harness/core/random.h"
#include "harness/report/conclusion/conclusion_part_words.h"
#include "tests/unit/report/told_findings.h"

namespace benchbench {
namespace conclusion_headroom_test {

using test::ToldFindings;
using namespace test::told;

TEST_CASE("conclusion: headroom is enough from 1.2, narrow from 1", "[unit][report]") {
  const auto headroom = [](double loader) {
    ToldFindings t;
    t.add(kTwo, loader, 1000, std::min(loader, 1000.0));
    return part(t.said(), "headroom");
  };
  const std::string alone = "The loader alone makes ", takes = "x what the trainer alone takes: ";
  CHECK(headroom(1200) == alone + "1.20" + takes + "enough.");
  CHECK(headroom(1199.9) ==
        alone + "1.19" + takes + "enough, with little to spare (1.2x is safe).");
  CHECK(headroom(1000) == alone + "1.00" + takes + "enough, with little to spare (1.2x is safe).");
  CHECK(headroom(999.9) == alone + "0.99" + takes + "not enough.");
}

TEST_CASE(
    "conclusion: headroom is judged only where its interval is clear of 1, "
    "or the loader could not be the limit",
    "[unit][report]") {
  const auto headroom = [](Estimate ratio, Side side) {
    ToldFindings t;
    t.add(kTwo, 100, 100, 99, 5).headroom = ratio;
    t.f.points[0].side = side;
    return part(t.said(), "headroom");
  };
  CHECK(headroom({0.9, 0.8, 0.99, 5}, Side::loader) ==
        "The loader alone makes 0.90x what the trainer alone takes: not enough.");
  CHECK(headroom({0.9, 0.8, 1.01, 5}, Side::loader) ==
        "The loader alone makes 0.90x what the trainer alone takes (0.80 to 1.01).");
  CHECK(headroom({1.1, 1.01, 1.3, 5}, Side::loader) ==
        "The loader alone makes 1.10x what the trainer alone takes: "
        "enough, with little to spare (1.2x is safe).");
  CHECK(headroom({0.9, 0.3, 2, 5}, Side::trainer).empty());
  // Digits that tell the ends apart; no ends where there is no width.
  CHECK(headroom({0.998, 0.996, 1.003, 3}, Side::loader) ==
        "The loader alone makes 0.998x what the trainer alone takes (0.996 to 1.003).");
  CHECK(headroom({1, 1 - 1e-12, 1 + 1e-12, 3}, Side::loader) ==
        "The loader alone makes 1.00x what the trainer alone takes.");
}

TEST_CASE("conclusion: a headroom on both sides of 1 is printed within its interval",
          "[unit][report]") {
  Random random(20261128);
  for (int i = 0; i < 1000; ++i) {
    const double width = std::pow(10, random.uniform(-6, 0));
    const double low = 1 - width * random.uniform(), high = 1 + width * random.uniform();
    const RatioWords told = undecided_ratio({random.uniform(low, high), low, high, 3});
    INFO(low << " to " << high << ": " << told.value << told.interval);
    if (told.interval.empty()) {
      REQUIRE(high - low < 1e-4);
      REQUIRE(told.value == "1.00");
      continue;
    }
    double first = 0, last = 0;
    REQUIRE(std::sscanf(told.interval.c_str(), " (%lf to %lf)", &first, &last) == 2);
    REQUIRE(first < last);
    REQUIRE(first <= std::stod(told.value));
    REQUIRE(std::stod(told.value) <= last);
  }
}

// A base and a second point, in another state of the page cache: what their loaders make where the
// trainer takes 100.
ToldFindings two_caches(double base, double other) {
  ToldFindings t;
  t.add({{"dataset.cache", "warm"}}, base, 100, std::min(base, 99.0));
  t.add({{"dataset.cache", "cold"}}, other, 100, std::min(other, 99.0));
  t.plan.scenario.axes = {{"dataset.cache", {}}};
  return t;
}

TEST_CASE("conclusion: where a condition is swept, headroom is that of a point that is named",
          "[unit][report]") {
  const auto headroom = [](double base, double other) {
    return part(two_caches(base, other).said(), "headroom");
  };
  const std::string alone = "The loader alone makes ",
                    warm = "x what the trainer alone takes with dataset.cache: warm: ";
  CHECK(headroom(2280, 106) == alone + "22.8" + warm +
                                   "enough; with dataset.cache: cold 1.06x: enough, with little to "
                                   "spare (1.2x is safe).");
  CHECK(headroom(2280, 90) ==
        alone + "22.8" + warm + "enough; with dataset.cache: cold 0.90x: not enough.");
  ToldFindings unnamed = two_caches(2280, 2280);
  unnamed.plan.points[0].settings.erase("dataset.cache");
  CHECK(part(unnamed.said(), "headroom") ==
        alone + "22.8x what the trainer alone takes with dataset.cache: as_is: enough.");
  // The same word, or more of it elsewhere: nothing is added.
  CHECK(headroom(2280, 130) == alone + "22.8" + warm + "enough.");
  CHECK(headroom(106, 2280) ==
        alone + "1.06" + warm + "enough, with little to spare (1.2x is safe).");
  ToldFindings unsure = two_caches(2280, 106);
  unsure.f.points[1].headroom = Estimate{0.998, 0.996, 1.003, 3};
  unsure.f.points[1].side = Side::loader;
  CHECK(part(unsure.said(), "headroom") ==
        alone + "22.8" + warm + "enough; with dataset.cache: cold 0.998x (0.996 to 1.003).");
}

TEST_CASE("conclusion: what binds is said of the condition that it was measured in",
          "[unit][report]") {
  ToldFindings t = two_caches(2280, 106);
  CHECK(part(t.said(), "binds") ==
        "The trainer is the limit with dataset.cache: warm: it takes 100 ms of each 101 ms step "
        "(99 %); more workers will not help. Measured in 5 rounds.");
  t.plan.scenario.axes.clear();  // it was set, and is the same everywhere
  CHECK(part(t.said(), "binds").starts_with("The trainer is the limit: it takes"));
  // A point that is not the base is named by its own settings, too, and by each once.
  t.plan.scenario.axes = {{"dataset.cache", {}}};
  t.f.points[0] = {};
  CHECK(part(t.said(), "binds").starts_with("The trainer is the limit with dataset.cache: cold: "));
}

}  // namespace conclusion_headroom_test
}  // namespace benchbench
