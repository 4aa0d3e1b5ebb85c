// The budget while trials run, with times that are given.
#include "harness/process/budget_watch.h"

#include <catch2/catch.hpp>

namespace benchbench::budget_watch_test {
namespace {

std::vector<PlannedRun> rounds_of(std::uint32_t rounds, std::uint32_t trials) {
  std::vector<PlannedRun> todo;
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint32_t trial = 0; trial < trials; ++trial) todo.push_back({trial, round, 0});
  return todo;
}

struct Ended {
  BudgetSays says;
  std::size_t at;
  double now;
};

// Runs trials that take `seconds` each until the watch ends the run.
Ended run(const RunBudget& budget, const std::vector<PlannedRun>& todo, double seconds) {
  BudgetWatch watch(budget, todo);
  double now = 0;
  for (std::size_t at = 0; at < todo.size(); ++at) {
    if (const BudgetSays says = watch.look(at, now); says != BudgetSays::go_on)
      return {says, at, now};
    now += seconds;
    watch.learn(todo[at].trial, seconds);
  }
  return {BudgetSays::go_on, todo.size(), now};
}

}  // namespace

TEST_CASE("budget watch: without a budget everything runs, and nothing has a deadline",
          "[unit][process]") {
  const auto todo = rounds_of(3, 2);
  CHECK(run({}, todo, 1e6).says == BudgetSays::go_on);
  CHECK_FALSE(BudgetWatch({}, todo).deadline());
}

TEST_CASE("budget watch: the third round may use the grace, later ones may not",
          "[unit][process]") {
  const auto todo = rounds_of(9, 2);
  const RunBudget budget{.aim = 10, .most = 11, .planned = {1, 1}};
  CHECK(run(budget, todo, 1.0).at == 10);  // 5 rounds of 2 s are 10 s
  CHECK(run(budget, todo, 1.01).at == 8);  // the fifth would end at 10.1 s
  CHECK(run(budget, todo, 1.83).at == 6);  // three end at 10.98 s
  CHECK(run(budget, todo, 1.84).at == 4);  // would end at 11.04 s
  CHECK(run(budget, todo, 1.84).says == BudgetSays::enough);
}

TEST_CASE("budget watch: before the minimum a run goes on while there is time, and not beyond",
          "[unit][process]") {
  const auto todo = rounds_of(3, 2);
  const RunBudget budget{.aim = 10, .most = 11, .planned = {1, 1}};
  CHECK(run(budget, todo, 2.75).at == 4);  // two rounds end at 11 s
  CHECK(run(budget, todo, 2.75).says == BudgetSays::enough);
  const Ended late = run(budget, todo, 2.76);  // the last of the second round would end at 11.04 s
  CHECK(late.says == BudgetSays::out_of_time);
  CHECK(late.at == 3);
  CHECK(run(budget, todo, 12).at == 1);
  CHECK(run(budget, todo, 12).says == BudgetSays::out_of_time);
}

TEST_CASE("budget watch: one round is the minimum where one was asked for", "[unit][process]") {
  const auto todo = rounds_of(2, 2);
  const RunBudget budget{.aim = 1, .most = 1, .least_rounds = 1, .planned = {1, 1}};
  CHECK(run(budget, todo, 0.5).says == BudgetSays::enough);
  CHECK(run(budget, todo, 0.5).at == 2);
  CHECK(run(budget, todo, 1).says == BudgetSays::out_of_time);
}

TEST_CASE("budget watch: what has not run yet differs from its plan as what has",
          "[unit][process]") {
  const auto todo = rounds_of(1, 3);
  BudgetWatch watch({.planned = {1, 2, 4}}, todo);
  CHECK(watch.expected(2) == 4);
  watch.learn(0, 3);
  CHECK(watch.expected(0) == 3);
  CHECK(watch.expected(2) == 12);
  watch.learn(1, 2);
  CHECK(watch.expected(1) == 2);
  CHECK(watch.expected(2) == Approx(4 * 5.0 / 3));
  CHECK(watch.expected(7) == 0);
}

TEST_CASE("budget watch: a resumed run counts the rounds before it", "[unit][process]") {
  auto todo = rounds_of(4, 1);
  todo.erase(todo.begin(), todo.begin() + 2);
  CHECK(run({.aim = 1, .most = 1.1, .planned = {1}}, todo, 1).at == 1);
  CHECK(run({.aim = 1, .most = 1.1, .planned = {2}}, todo, 2).at == 0);
  CHECK(run({.aim = 1, .most = 1.1, .planned = {2}}, todo, 2).says == BudgetSays::enough);
}

}  // namespace benchbench::budget_watch_test
