// Which turns of a comparison still start within a budget, with times that are given.
#include "harness/app/compare/turn_watch.h"

#include <catch2/catch.hpp>

namespace benchbench::turn_watch_test {
namespace {

using Seconds = std::vector<double>;

// The turns of a round of one trial: A's run, then B's.
std::vector<Turn> pair_in(std::uint32_t round) {
  return {{false, {{0, round, 0}}}, {true, {{0, round, 0}}}};
}

struct Ended {
  BudgetSays says;
  std::uint32_t round;
  std::size_t turn;
};

// Runs rounds of pairs whose sides take so long each, until the watch ends them.
Ended run(const RunBudget& budget, std::uint32_t rounds, double a, double b) {
  TurnWatch watch(budget);
  double now = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const auto turns = pair_in(round);
    watch.take_round(turns);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (const BudgetSays says = watch.look(i, now); says != BudgetSays::go_on)
        return {says, round, i};
      const double took = turns[i].of_b ? b : a;
      now += took;
      watch.learn(turns[i], took);
    }
  }
  return {BudgetSays::go_on, rounds, 0};
}

}  // namespace

TEST_CASE("turn watch: the trials of both sides have their own times", "[unit][app]") {
  CHECK(planned_of_sides(Seconds{1, 2}, Seconds{3, 4}) == Seconds{1, 3, 2, 4});
  CHECK(planned_of_sides(Seconds{1}, Seconds{3, 4}) == Seconds{1, 3, 0, 4});
  CHECK(planned_of_sides(Seconds{1, 2}, Seconds{}) == Seconds{1, 0, 2, 0});
}

TEST_CASE("turn watch: without a budget every turn starts", "[unit][app]") {
  CHECK(run({}, 15, 1e6, 1e6).says == BudgetSays::go_on);
}

TEST_CASE("turn watch: a round starts only where both of its turns fit", "[unit][app]") {
  const RunBudget budget{.aim = 20, .most = 22, .planned = {1, 1}};
  const Ended fits = run(budget, 15, 1, 3);  // 5 rounds of 4 s are 20 s
  CHECK(fits.says == BudgetSays::enough);
  CHECK(fits.round == 5);
  CHECK(fits.turn == 0);
  CHECK(run(budget, 15, 1, 3.1).round == 4);  // the fifth would end at 20.5 s
}

TEST_CASE("turn watch: before two rounds are over the end is that of a budget too short",
          "[unit][app]") {
  const RunBudget budget{.aim = 20, .most = 22, .planned = {1, 1}};
  const Ended late = run(budget, 15, 5, 7);  // the second run of B would end at 24 s
  CHECK(late.says == BudgetSays::out_of_time);
  CHECK(late.round == 1);
  CHECK(late.turn == 1);
}

TEST_CASE("turn watch: the runs of a turn share its time as their plan does", "[unit][app]") {
  TurnWatch watch({.aim = 10, .most = 11, .planned = {1, 0, 3, 0}});
  const std::vector<Turn> first{{false, {{0, 0, 0}, {1, 0, 0}}}, {true, {}}};
  watch.take_round(first);
  CHECK(watch.look(0, 0) == BudgetSays::go_on);
  watch.learn(first[0], 4);  // 1 s and 3 s
  const std::vector<Turn> next{{false, {{1, 5, 0}}}, {true, {}}};
  watch.take_round(next);
  CHECK(watch.look(0, 7) == BudgetSays::go_on);  // would end at 10 s
  CHECK(watch.look(0, 7.01) == BudgetSays::enough);
  CHECK(watch.look(1, 100) == BudgetSays::go_on);  // nothing is in that turn
}

TEST_CASE("turn watch: what a budget left out is said", "[unit][app]") {
  CHECK(left_out_text({15, BudgetSays::go_on, 0}, 15, "2min").empty());
  CHECK(left_out_text({1, BudgetSays::out_of_time, 0}, 15, "2min") ==
        "the budget of 2min ended after 1 of 15 rounds");
  CHECK(left_out_text({7, BudgetSays::enough, 0}, 15, "2min") ==
        "the budget of 2min had no room for more than 7 of 15 rounds");
  CHECK(left_out_text({15, BudgetSays::enough, 1}, 15, "2min") ==
        "the budget of 2min had no room to run 1 pair again that other programs disturbed");
  CHECK(left_out_text({15, BudgetSays::enough, 0, 1}, 15, "2min") ==
        "the budget of 2min had no room for more rounds of what is UNSURE");
}

TEST_CASE("turn watch: a budget that ended rounds of pairs again left out those still disturbed",
          "[unit][app]") {
  const TurnsEnd ended{15, BudgetSays::enough, 0};
  const TurnsEnd some = with_pairs_left(ended, 2), none = with_pairs_left(ended, 0);
  CHECK(some.budget == BudgetSays::enough);
  CHECK(some.pairs_left == 2);
  CHECK(left_out_text(some, 15, "2min") ==
        "the budget of 2min had no room to run 2 pairs again that other programs disturbed");
  CHECK(none.budget == BudgetSays::go_on);
  CHECK(left_out_text(none, 15, "2min").empty());
  CHECK((some.rounds == 15 && none.rounds == 15));
}

TEST_CASE("turn watch: a second run is cut where rounds are missing, not where pairs are",
          "[unit][app]") {
  CHECK(rounds_cut_text({7, BudgetSays::enough, 0}, 10, "2min") ==
        "the budget of 2min had no room for more than 7 of 10 rounds");
  CHECK(rounds_cut_text({1, BudgetSays::out_of_time, 0}, 10, "2min") ==
        "the budget of 2min ended after 1 of 10 rounds");
  CHECK(rounds_cut_text({10, BudgetSays::enough, 3}, 10, "2min").empty());
  CHECK(rounds_cut_text({10, BudgetSays::go_on, 0}, 10, "2min").empty());
  CHECK(rounds_cut_text({3, BudgetSays::go_on, 0}, 10, "2min").empty());  // an interrupt
}

}  // namespace benchbench::turn_watch_test
