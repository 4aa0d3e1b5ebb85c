// What of a budget is the trials', and what is learned of a run's own time.
#include "harness/app/preparation/run_time.h"

#include <catch2/catch.hpp>

#include "harness/plan/price.h"

namespace benchbench {
namespace run_time_test {

PreparedPlan with_budget(const std::string& budget) {
  PreparedPlan p;
  p.plan.rounds = 3;
  p.plan.scenario.base.set("measure.budget", Value::parse(ParameterType::duration, budget).value());
  return p;
}

TEST_CASE("run time: one run that was held up is learned from by half as much again at most",
          "[unit][app]") {
  CHECK(learned_own_seconds(0.5, 0.5) == Approx(0.5));
  CHECK(learned_own_seconds(0.5, 0.3) == Approx(0.4));
  CHECK(learned_own_seconds(0.5, 0.9) == Approx(0.7));
  CHECK(learned_own_seconds(0.5, 1.0) == Approx(0.75));
  CHECK(learned_own_seconds(0.5, 25) == Approx(0.75));
}

TEST_CASE("run time: a run's own time takes a fifth of a budget at most", "[unit][app]") {
  PreparedPlan p = with_budget("1000s");
  const RunTime time;
  CHECK(known_own_seconds(p) == kRunSeconds);
  CHECK(time.budget_of_trials(p).aim == Approx(1000 - kRunSeconds).margin(1));
  p.context.prices[run_key(false)] = {.startup_seconds = 100};
  CHECK(known_own_seconds(p) == 100);
  CHECK(time.budget_of_trials(p).aim == Approx(900).margin(1));
  p.context.prices[run_key(false)] = {.startup_seconds = 2500};
  CHECK(time.budget_of_trials(p).aim == Approx(800).margin(1));
  CHECK(time.budget_of_trials(p).most == Approx(1100 - 200 - 20.25).margin(1));
}

TEST_CASE("run time: of a budget that is no plan's the same is left", "[unit][app]") {
  const RunTime time;
  CHECK(time.left_of(1000, 100).aim == Approx(900).margin(1));
  CHECK(time.left_of(1000, 2500).aim == Approx(800).margin(1));
  CHECK(time.left_of(1000, 2500).most == Approx(1100 - 200 - 20.25).margin(1));
  CHECK(time.deadline_of(1000).value() > std::chrono::steady_clock::now());
}

TEST_CASE("run time: first trials have a third of what is left of a budget, none of a short one",
          "[unit][app]") {
  const RunTime time;
  CHECK(time.seconds_for_first_trials(with_budget("3000s")) == Approx(1000).margin(1));
  CHECK(time.seconds_for_first_trials(with_budget("2900ms")) == 0);
}

TEST_CASE("run time: a resumed run's trials have the seconds of their own plan", "[unit][app]") {
  PreparedPlan p;
  p.context.simulated = true;
  p.trial_seconds = {7, 8, 9};
  Plan stored;
  stored.trials.resize(2);
  stored.trials[0].digest = "a";
  stored.trials[1].skip = "no";
  p.context.prices["simulated:a"] = {.startup_seconds = 0.25};
  take_plan(p, std::move(stored));
  CHECK(p.plan.trials.size() == 2);
  CHECK(p.trial_seconds == std::vector<double>{0.25, 0});
}

}  // namespace run_time_test
}  // namespace benchbench
