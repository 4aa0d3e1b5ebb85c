// The outcome of a comparison, which is the exit code of `compare`.
#include "harness/analysis/compare/compare_outcome.h"

#include <catch2/catch.hpp>

#include "tests/metric_named.h"

namespace benchbench::compare_outcome_test {
namespace {

MetricComparison metric_of(Judged judged, double change,
                           const Metric* metric = find_metric("pipeline_rate")) {
  MetricComparison c;
  c.metric = metric, c.judgement = judged;
  c.a = c.b = Estimate{100, 99, 101, 12};
  c.change = Estimate{change, change - 0.01, change + 0.01, 12};
  c.rounds_a = c.rounds_b = 12;
  c.error = 0.005, c.freedom = 11, c.threshold = 0.03;
  if (judged == Judged::unsure) c.why = Unsure::wide;
  if (judged == Judged::invalid) c.why = Unsure::no_rounds;
  return c;
}

GatedComparison compared(const std::vector<std::vector<MetricComparison>>& points,
                         const std::string& gates) {
  GatedComparison r;
  r.found.relation = Relation::interleaved, r.found.spread = 0;
  for (const auto& metrics : points) {
    PointComparison point;
    point.name = "p" + std::to_string(r.found.points.size()), point.metrics = metrics;
    r.found.points.push_back(point);
  }
  r.gates = results_of(r.found, gates_from(gates));
  return r;
}

CompareOutcome outcome(const std::vector<std::vector<MetricComparison>>& points,
                       const std::string& gates) {
  return outcome_of(compared(points, gates));
}

CompareOutcome outcome_with(AlertState state, Judged again) {
  GatedComparison r = compared({{metric_of(Judged::slower, -0.05)}}, "slower:3%");
  r.confirmation.emplace();
  r.confirmation->alerts = alerts_of(r.found);
  r.confirmation->alerts[0].state = state, r.confirmation->alerts[0].again = again;
  return outcome_of(r);
}

}  // namespace

TEST_CASE("compare outcome: what a comparison comes to", "[unit][analysis]") {
  using enum CompareOutcome;
  const auto of = [](Judged judged, double change) {
    return outcome_of(compared({{metric_of(judged, change)}}, "slower:3%"));
  };
  CHECK(of(Judged::same, 0) == passed);
  CHECK(of(Judged::faster, 0.1) == passed);
  CHECK(of(Judged::slower, -0.05) == regression);
  CHECK(of(Judged::unsure, -0.05) == inconclusive);
  CHECK(of(Judged::invalid, 0) == inconclusive);
  GatedComparison r = compared({{metric_of(Judged::slower, -0.05)}}, "slower:3%");
  r.found.one_process = true;
  CHECK(outcome_of(r) == inconclusive);
  r.found.not_comparable = NotComparable::no_usable_trial;
  CHECK(outcome_of(r) == nothing_usable);
  r.found.not_comparable = NotComparable::other_hardware;
  CHECK(outcome_of(r) == inconclusive);
}

TEST_CASE("compare outcome: an alert counts unless a second run takes it back",
          "[unit][analysis]") {
  using enum CompareOutcome;
  CHECK(outcome_with(AlertState::confirmed, Judged::slower) == regression);
  CHECK(outcome_with(AlertState::kept, Judged::invalid) == regression);
  CHECK(outcome_with(AlertState::unconfirmed, Judged::same) == passed);
  CHECK(outcome_with(AlertState::unconfirmed, Judged::unsure) == inconclusive);
}

TEST_CASE("compare outcome: a gate is passed only where something it is of was judged",
          "[unit][analysis]") {
  using enum CompareOutcome;
  const MetricComparison same = metric_of(Judged::same, 0), unsure = metric_of(Judged::unsure, 0),
                         invalid = metric_of(Judged::invalid, 0);
  const MetricComparison memory = metric_of(Judged::same, 0, find_metric("peak_memory"));
  CHECK(outcome({{same, memory}}, "slower,memory") == passed);
  CHECK(outcome({{unsure, memory}}, "slower,memory") == inconclusive);
  CHECK(outcome({{unsure, memory}}, "memory") == passed);
  CHECK(outcome({{same, memory}, {invalid}}, "slower") == inconclusive);
  CHECK(outcome({{same, memory}, {invalid}}, "memory") == passed);
  CHECK(outcome({{same}}, "wait") == inconclusive);
  GatedComparison canaries = compared({{same}}, "verdict");
  CHECK(outcome_of(canaries) == passed);
  canaries.found.points[0].canary = true;
  canaries.gates = results_of(canaries.found, gates_from("verdict"));
  CHECK(outcome_of(canaries) == inconclusive);
}

TEST_CASE("compare outcome: an alert at one point is not that of another", "[unit][analysis]") {
  const MetricComparison slower = metric_of(Judged::slower, -0.05);
  GatedComparison r = compared({{slower}, {slower}}, "slower");
  r.confirmation.emplace();
  r.confirmation->alerts = alerts_of(r.found);
  r.confirmation->alerts[0].state = AlertState::unconfirmed,
  r.confirmation->alerts[0].again = Judged::same;
  r.confirmation->alerts[1].state = AlertState::confirmed;
  CHECK(outcome_of(r) == CompareOutcome::regression);
}

}  // namespace benchbench::compare_outcome_test
