#include "harness/analysis/compare/gates.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/metric_named.h"

namespace benchbench::gates_test {
namespace {

using Catch::Matchers::Contains;

MetricComparison metric_of(const Metric* metric, Judged judged, double change) {
  MetricComparison c;
  c.metric = metric, c.judgement = judged;
  c.change = Estimate{change, change, change, 12};
  c.error = 0.01, c.freedom = 11, c.threshold = 0.03;
  return c;
}

ComparisonFindings findings_of(std::vector<MetricComparison> metrics,
                               Relation relation = Relation::interleaved) {
  ComparisonFindings f;
  f.relation = relation, f.spread = 0;
  PointComparison point;
  point.name = "p";
  point.metrics = std::move(metrics);
  f.points.push_back(point);
  return f;
}

std::string error_of(const std::string& text) {
  try {
    gates_from(text);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("gates: a list of what they are of and shares", "[unit][analysis]") {
  const auto gates = gates_from("slower:5%,wait:0.1,memory,verdict");
  REQUIRE(gates.size() == 4);
  CHECK(gates[0].of == GateOf::slower);
  CHECK(gates[0].share == Approx(0.05));
  CHECK(gates[1].of == GateOf::wait);
  CHECK(gates[1].share == Approx(0.1));
  CHECK(gates[2].share == Approx(0.03));
  CHECK(gates[3].of == GateOf::verdict);
}

TEST_CASE("gates: what is wrong is named, with the nearest spelling", "[unit][analysis]") {
  CHECK_THAT(error_of("slwer:3%"), Contains("did you mean slower?"));
  CHECK_THAT(error_of("slower:x"), Contains("\"x\" is not a share"));
  CHECK_THAT(error_of("slower:nan"), Contains("\"nan\" is not a share"));
  CHECK_THAT(error_of("slower:1%"), Contains("outside 3 %"));
  CHECK_THAT(error_of("verdict:3%"), Contains("has no share"));
  CHECK_THAT(error_of(""), Contains("there is no gate \"\""));
  CHECK_THAT(error_of("slower:3%,"), Contains("there is no gate \"\""));
}

TEST_CASE("gates: a number of 1 or more is a percentage only with its sign", "[unit][analysis]") {
  CHECK_THAT(error_of("slower:3"), Contains("3 is neither a percentage nor a share below 1"));
  CHECK_THAT(error_of("wait:1"), Contains("neither a percentage"));
  CHECK(gates_from("wait:200%")[0].share == Approx(2));
  try {
    gates_from("slower:3");
  } catch (const UsageError& e) {
    CHECK(e.hint() == "write slower:3% or slower:0.03");
  }
}

TEST_CASE("gates: broken by what is SLOWER by the share, of its own metrics alone",
          "[unit][analysis]") {
  const auto f = findings_of({metric_of(find_metric("pipeline_rate"), Judged::slower, -0.04),
                              metric_of(find_metric("peak_memory"), Judged::slower, 0.3),
                              metric_of(find_metric("loader_rate"), Judged::unsure, -0.5)});
  CHECK(results_of(f, gates_from("slower:3%"))[0].broken.size() == 1);
  CHECK(results_of(f, gates_from("slower:5%"))[0].broken.empty());
  CHECK(results_of(f, gates_from("memory:20%"))[0].broken.size() == 1);
  CHECK(results_of(f, gates_from("wait"))[0].compared == 0);
  CHECK(results_of(f, gates_from("slower"))[0].unsure == 1);
}

TEST_CASE("gates: the verdict is broken by a side that moved", "[unit][analysis]") {
  auto f = findings_of({metric_of(find_metric("pipeline_rate"), Judged::same, 0)});
  CHECK(results_of(f, gates_from("verdict"))[0].broken.empty());
  f.points[0].side_moved = true;
  CHECK(results_of(f, gates_from("verdict"))[0].broken.size() == 1);
}

TEST_CASE(
    "gates: at the share itself they are broken; canaries and rounds of one process break none",
    "[unit][analysis]") {
  auto f = findings_of({metric_of(find_metric("pipeline_rate"), Judged::slower, -0.05)});
  CHECK(results_of(f, gates_from("slower:0.05"))[0].broken.size() == 1);
  f.points[0].side_moved = true, f.one_process = true;
  CHECK(results_of(f, gates_from("verdict"))[0].broken.empty());
  f.one_process = false, f.points[0].canary = true;
  const auto of_canary = results_of(f, gates_from("slower,verdict"));
  CHECK((of_canary[0].broken.empty() && of_canary[1].broken.empty()));
  CHECK(of_canary[0].compared == 0);
}

TEST_CASE(
    "gates: what says nothing is counted once; a threshold above the share holds for false alarms",
    "[unit][analysis]") {
  auto few = metric_of(find_metric("pipeline_rate"), Judged::unsure, 0);
  few.why = Unsure::few_rounds;
  const auto result = results_of(findings_of({few}), gates_from("slower"))[0];
  CHECK((result.silent == 1 && result.unsure == 0));
  auto c = metric_of(find_metric("pipeline_rate"), Judged::same, 0);
  c.threshold = 0.06;
  CHECK(false_alarm_chance(c, 0.03, Relation::interleaved, 0) ==
        Approx(false_alarm_chance(c, 0.06, Relation::interleaved, 0)));
}

TEST_CASE("gates: false alarms a month by the noise, at most what the exact test lets through",
          "[unit][analysis]") {
  const auto c = metric_of(find_metric("pipeline_rate"), Judged::same, 0);
  // The tail of t with 11 degrees of freedom beyond ln(1.05) / 0.01, integrated numerically:
  // 2.4382e-4.
  CHECK(false_alarm_chance(c, 0.05, Relation::interleaved, 0) == Approx(2.438e-4).epsilon(0.01));
  auto noisy = c;
  noisy.error = 1;
  CHECK(false_alarm_chance(noisy, 0.05, Relation::interleaved, 0) == Approx(0.001));
  // Of sessions with a spread of 5 % and no other noise, 1 in 2,000 lies beyond it on this side, in
  // ratios: ln(1.05) / 0.05 * 3.29.
  auto still = c;
  still.error = 0;
  CHECK(false_alarm_chance(still, 0.05, Relation::stored, 0.05) == Approx(6.6e-4).epsilon(0.03));
  const auto f = findings_of({c, c});
  CHECK(*results_of(f, gates_from("slower:5%"))[0].false_alarms_a_month ==
        Approx(2 * 30.4 * 2.438e-4).epsilon(0.01));
  // A first look at half of the rounds: t with 5 degrees of freedom beyond ln(1.05) / 0.01414 is
  // 9.1e-3, of which the exact test lets 1 in 1,000 through.
  auto looked = findings_of({c});
  looked.looks = 2;
  CHECK(*results_of(looked, gates_from("slower:5%"))[0].false_alarms_a_month ==
        Approx(30.4 * (2.438e-4 + 1e-3)).epsilon(0.01));
}

}  // namespace benchbench::gates_test
