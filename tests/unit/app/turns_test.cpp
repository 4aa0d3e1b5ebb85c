// The runs of the two sides of a comparison, in the order in which they run.
#include "harness/app/compare/turns.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/unit/analysis/made_run.h"

namespace benchbench::turns_test {
namespace {

using Runs = std::vector<PlannedRun>;

bool are_same(const Runs& a, const Runs& b) {
  return std::ranges::equal(a, b, [](const PlannedRun& x, const PlannedRun& y) {
    return x.trial == y.trial && x.round == y.round && x.repeat == y.repeat;
  });
}

// A run of two rounds with a loader's and a pipeline's trial, whose records are made by the tests.
struct Side : test::MadeRun {
  explicit Side(const char* digest) {
    const auto base = point({}, settings(2));
    trial(base, Mode::loader), trial(base, Mode::pipeline);
    for (Trial& t : plan.trials) t.digest += digest;
    plan.rounds = 2;
    for (const std::uint32_t round : {0u, 1u})
      for (const std::uint32_t trial : {1u, 0u}) plan.order.push_back({trial, round, 0});
  }
  // Adds a record of a run that lost that share of its rate to other programs, of 1,000 samples a
  // second times `rate`.
  void ran(std::uint32_t trial, std::uint32_t round, double lost, double rate = 1) {
    Facts f = test::good_facts(1000 * rate);
    f.cpu.user_s = 1, f.cpu.system_s = 0;
    f.cpu.others_s = 10, f.cpu.run_delay_most_s = lost;
    const auto order = plan.order;
    const auto rounds = plan.rounds;
    record(trial, round, f);
    plan.order = order, plan.rounds = rounds;
  }
  ComparedRun compared() const { return {plan, records}; }
};

}  // namespace

TEST_CASE("turns: by pairs a run of A is next to the same one of B", "[unit][app]") {
  const Runs runs{{4, 3, 0}, {2, 3, 0}, {4, 3, 1}};
  std::size_t b_first = 0, together = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto turns = turns_of(runs, runs, seed, 3, true);
    REQUIRE(turns.size() == 6);
    for (std::size_t i = 0; i < 3; ++i) {
      const Turn &first = turns[2 * i], &second = turns[2 * i + 1];
      CHECK(first.of_b != second.of_b);
      CHECK(are_same(first.runs, {runs[i]}));
      CHECK(are_same(second.runs, {runs[i]}));
      b_first += first.of_b;
    }
    together += turns[0].of_b == turns[2].of_b && turns[2].of_b == turns[4].of_b;
  }
  // 3,000 drawn by halves, within 5 standard deviations; three alike in a quarter of 1,000.
  CHECK(b_first > 1500 - 137);
  CHECK(b_first < 1500 + 137);
  CHECK(together > 250 - 69);
  CHECK(together < 250 + 69);
}

TEST_CASE("turns: by rounds, and of sides that are not alike, each has a turn", "[unit][app]") {
  const Runs a{{0, 1, 0}, {1, 1, 0}}, other{{1, 1, 0}, {0, 1, 0}};
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const auto& turns : {turns_of(a, a, seed, 1, false), turns_of(a, other, seed, 1, true)}) {
      REQUIRE(turns.size() == 2);
      CHECK(turns[0].of_b != turns[1].of_b);
      const Turn& of_a = turns[turns[0].of_b ? 1 : 0];
      CHECK(are_same(of_a.runs, a));
    }
  const auto turns = turns_of(a, other, 5, 1, true);
  CHECK(are_same(turns[turns[0].of_b ? 0 : 1].runs, other));
}

TEST_CASE("turns: pairs that other programs disturbed run again until enough were not",
          "[unit][app]") {
  Side a("a"), b("b");
  for (const std::uint32_t round : {0u, 1u})
    for (const std::uint32_t trial : {0u, 1u}) {
      a.ran(trial, round, 0);
      b.ran(trial, round, trial == 1 && round == 0 ? 0.3 : 0.0);
    }
  CHECK(are_same(runs_again(a.compared(), b.compared(), 2), {{1, 2, 0}}));
  a.ran(1, 2, 0.3), b.ran(1, 2, 0);
  CHECK(are_same(runs_again(a.compared(), b.compared(), 3), {{1, 3, 0}}));
  a.ran(1, 3, 0.3), b.ran(1, 3, 0.31);  // disturbed alike
  CHECK(runs_again(a.compared(), b.compared(), 4).empty());
}

TEST_CASE("turns: what runs again gives the same again is left alone", "[unit][app]") {
  Side a("a"), b("b");
  for (const std::uint32_t round : {0u, 1u})
    for (const std::uint32_t trial : {0u, 1u}) a.ran(trial, round, 0), b.ran(trial, round, 0);
  for (TrialRecord& r : b.records)
    if (r.planned.trial == 0)
      r.facts.start.steady = false;  // R06
    else
      r.status = Status::failed;
  CHECK(runs_again(a.compared(), b.compared(), 2).empty());
}

TEST_CASE("turns: of sides that are not alike nothing runs again", "[unit][app]") {
  Side a("a"), b("b");
  for (const std::uint32_t round : {0u, 1u})
    for (const std::uint32_t trial : {0u, 1u}) a.ran(trial, round, 0), b.ran(trial, round, 0.3);
  CHECK(runs_again(a.compared(), b.compared(), 2).size() == 2);
  std::ranges::reverse(b.plan.order);
  for (PlannedRun& run : b.plan.order) run.round = 1 - run.round;
  CHECK(runs_again(a.compared(), b.compared(), 2).empty());
}

TEST_CASE("turns: what a gate is for goes on while its rounds differ too much", "[unit][app]") {
  Side a("a"), b("b");
  for (std::uint32_t round = 0; round < 12; ++round) {
    const double apart = round % 2 == 0 ? 1.2 : 0.8;  // of the pipeline's rates
    a.ran(0, round, 0), b.ran(0, round, 0);
    a.ran(1, round, 0, apart), b.ran(1, round, 0, 1 / apart);
  }
  const auto slower = gates_from("slower:3%");
  CHECK(are_same(open_runs(a.compared(), b.compared(), slower, 12), {{1, 12, 0}}));
  CHECK(open_runs(a.compared(), b.compared(), gates_from("startup:3%"), 12).empty());
  CHECK(open_runs(a.compared(), b.compared(), {}, 12).empty());
}

TEST_CASE("turns: what is called, the same, or has too few rounds does not go on", "[unit][app]") {
  const auto gates = gates_from("slower:3%");
  for (const auto& [rounds, rate] : {std::pair{12u, 1.0}, {12u, 0.9}, {4u, 0.9}}) {
    Side a("a"), b("b");
    for (std::uint32_t round = 0; round < rounds; ++round)
      for (const std::uint32_t trial : {0u, 1u})
        a.ran(trial, round, 0), b.ran(trial, round, 0, rate);
    CHECK(open_runs(a.compared(), b.compared(), gates, rounds).empty());
  }
}

}  // namespace benchbench::turns_test
