#include "harness/analysis/rules/stopping.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace stopping_test {

using test::MadeRun;

// A pipeline whose rate is off by `spread` every other round.
MadeRun zigzag(std::uint32_t rounds, double spread) {
  MadeRun run;
  const auto trial = run.trial(run.point({}, run.settings(2)), Mode::pipeline);
  for (std::uint32_t r = 0; r < rounds; ++r)
    run.record(trial, r, test::good_facts(10'000 * (1 + (r % 2 ? spread : -spread))));
  run.plan.rounds = 3;
  run.plan.scenario.base.set("measure.stop_at", Value{ParameterType::real, 0.02});
  run.plan.scenario.base.set("measure.max_rounds", test::whole(30));
  return run;
}

std::uint32_t stops_after(const MadeRun& run, std::uint32_t max) {
  for (std::uint32_t complete = 1; complete <= max; ++complete)
    if (enough(StoppingRule::interval, run.plan, run.records, complete)) return complete;
  return 0;
}

TEST_CASE("stopping: the rule follows from the scenario", "[unit][analysis]") {
  MadeRun run = zigzag(1, 0);
  CHECK(stopping_rule_of(run.plan) == StoppingRule::interval);
  run.plan.scenario.base.erase("measure.stop_at");
  CHECK(stopping_rule_of(run.plan) == StoppingRule::fixed);
  CHECK_FALSE(enough(StoppingRule::fixed, run.plan, run.records, 2));
  CHECK(enough(StoppingRule::fixed, run.plan, run.records, 3));
}

TEST_CASE("stopping: rounds go on until the interval is as narrow as asked", "[unit][analysis]") {
  // Half the interval of n logs ±0.03 is t(n−1)·0.03/√(n−1): 2.01 % at 12, 1.88 % at 13, and at 14
  // for the second look.
  const MadeRun run = zigzag(30, 0.03);
  const std::uint32_t rounds = stops_after(run, 30);
  CHECK(rounds == 14);
  const StoppingState state = stopping_state(StoppingRule::interval, run.plan, run.records, rounds);
  CHECK(*state.widest < 0.02);
  CHECK(state.enough == Enough::narrow);
}

TEST_CASE("stopping: the quietest run takes six rounds, and the plan's where those are more",
          "[unit][analysis]") {
  MadeRun run = zigzag(30, 0);
  CHECK(stops_after(run, 30) == 6);
  run.plan.rounds = 10;
  CHECK(stops_after(run, 30) == 10);
}

TEST_CASE("stopping: one narrow look is not enough", "[unit][analysis]") {
  // Narrow after seven rounds, wide after six.
  const std::vector<double> logs{0.03, -0.03, 0.02, -0.03, 0.02, 0, 0, 0};
  REQUIRE_FALSE(narrow_enough(std::span(logs).first(6), 0.023));
  CHECK_FALSE(narrow_enough(std::span(logs).first(7), 0.023));
  CHECK(narrow_enough(logs, 0.023));
}

TEST_CASE("stopping: max_rounds ends it, and says how wide it still is", "[unit][analysis]") {
  MadeRun run = zigzag(30, 0.2);
  CHECK(stops_after(run, 40) == 30);
  const StoppingState state = stopping_state(StoppingRule::interval, run.plan, run.records, 30);
  CHECK(state.enough == Enough::max_rounds);
  CHECK(*state.widest > 0.02);
}

TEST_CASE("stopping: the least known of all pipelines is waited for, a failed one is not",
          "[unit][analysis]") {
  MadeRun run = zigzag(30, 0);
  const auto other =
      run.trial(run.point({{"loader.num_workers", "4"}}, run.settings(4)), Mode::pipeline);
  for (std::uint32_t r = 0; r < 30; ++r)
    run.record(other, r, test::good_facts(10'000 * (1 + (r % 2 ? 0.03 : -0.03))));
  run.plan.rounds = 3;
  CHECK(stops_after(run, 30) == 14);
  for (TrialRecord& record : run.records)
    if (record.planned.trial == other) record.status = Status::failed;
  CHECK(stops_after(run, 30) == 6);
}

TEST_CASE("stopping: a budget leaves at least two rounds", "[unit][analysis]") {
  const MadeRun run = zigzag(5, 0);
  const auto stops = [&](std::uint32_t complete, double spent) {
    return enough(StoppingRule::budget, run.plan, run.records, complete, spent, 60);
  };
  CHECK_FALSE(stops(1, 100));
  CHECK(stops(2, 100));
  CHECK_FALSE(stops(4, 40));  // another takes 10 s
  CHECK(stops(5, 50.1));
}

}  // namespace stopping_test
}  // namespace benchbench
