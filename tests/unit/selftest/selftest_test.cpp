#include "harness/selftest/selftest.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/selftest/fault_size.h"

namespace benchbench::selftest_test {
namespace {

using namespace selftest;

BenchOptions virtual_time() {
  return {.catalog = built_in_catalog(),
          .environment = {},
          .simulated = true,
          .seed = 1,
          .stop = nullptr};
}

Scenario ground(const Given& more = {}) {
  return mock_scenario("ground", with(ground_settings(Ground::loader, 0), more),
                       built_in_catalog());
}

std::size_t digests(const Experiment& e) {
  std::vector<std::string> all;
  for (const Trial& t : e.plan.trials) all.push_back(t.digest);
  std::sort(all.begin(), all.end());
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

FaultCase of(const InjectedFault* fault, Naming naming, std::vector<Component> named = {}) {
  FaultCase k;
  k.fault = fault;
  k.found.naming = naming;
  k.found.named = std::move(named);
  return k;
}

KnownAnswer answer(double error, double repeats) {
  KnownAnswer a;
  a.name = std::string("x");
  a.tolerance = 0.01;
  a.truth_ms = 1;
  a.measured_ms = 1 + error;
  a.error = error;
  a.repeats = Estimate{repeats, 0, repeats, 3};
  return a;
}

}  // namespace

TEST_CASE("mock scenario: an unknown part, key or value is told", "[unit][selftest]") {
  CHECK_THROWS_AS(ground({{"loader.use", "nothing"}}), PartError);
  CHECK_THROWS_AS(ground({{"loader.nothing", "1"}}), PartError);
  CHECK_THROWS_AS(ground({{"loader.read_time", "soon"}}), PartError);
  CHECK(ground({{"loader.read_time", "1ms"}}).base.duration("loader.read_time") ==
        std::chrono::milliseconds{1});
}

TEST_CASE("mock scenario: the grounds' binding side is known", "[unit][selftest]") {
  CHECK(virtual_step_ms(ground(), built_in_catalog()) == Approx(1).epsilon(0.01));
  const Scenario trainer =
      mock_scenario("ground", ground_settings(Ground::trainer, 0), built_in_catalog());
  CHECK(virtual_step_ms(trainer, built_in_catalog()) == Approx(1.008).epsilon(0.01));
}

TEST_CASE("bench: a trial that two experiments need is run once and belongs to both",
          "[unit][selftest]") {
  Bench bench(virtual_time());
  const std::size_t a = bench.add("a", ground()),
                    b = bench.add("b", ground({{"loader.read_time", "300us"}}));
  const std::size_t apart = digests(bench.experiment(a)) + digests(bench.experiment(b));
  CHECK(bench.trials() == apart - 1);  // with its reads free the one is the other
  std::size_t told = 0;
  bench.run_round(0, [&](std::size_t) { ++told; });
  CHECK(told == bench.trials());
  for (const std::size_t e : {a, b}) {
    const Experiment& x = bench.experiment(e);
    CHECK(x.records.size() == x.plan.trials.size());
    for (const TrialRecord& r : x.records)
      CHECK(r.trial.digest == x.plan.trials[r.planned.trial].digest);
  }
}

TEST_CASE("bench: rounds in virtual time draw their own times", "[unit][selftest]") {
  Bench bench(virtual_time());
  const std::size_t e = bench.add(
      "noisy", mock_scenario("noisy", ground_settings(Ground::loader, 0.2), built_in_catalog()));
  for (std::uint32_t round = 0; round < 2; ++round) bench.run_round(round);
  const auto taken = taken_apart(bench.experiment(e));
  REQUIRE(taken);
  CHECK(taken->step_ms->n == 2);
  CHECK(taken->step_ms->high > taken->step_ms->low);
}

TEST_CASE("bench: a slow round is slow for everybody", "[unit][selftest]") {
  BenchOptions options = virtual_time();
  options.round_noise = 0.1;
  Bench bench(options);
  const std::size_t a = bench.add("a", ground()),
                    b = bench.add("b", ground({{"loader.read_time", "300us"}}));
  for (std::uint32_t round = 0; round < 3; ++round) bench.run_round(round);
  const auto of_a = taken_apart(bench.experiment(a)), of_b = taken_apart(bench.experiment(b));
  REQUIRE(of_a);
  REQUIRE(of_b);
  CHECK(of_a->step_ms->high - of_a->step_ms->low > 0.05 * of_a->step_ms->value);
  const double ratio = of_b->step_ms_by_round.at(0) / of_a->step_ms_by_round.at(0);
  for (std::uint32_t round = 1; round < 3; ++round)
    CHECK(of_b->step_ms_by_round.at(round) / of_a->step_ms_by_round.at(round) ==
          Approx(ratio).epsilon(0.001));
}

TEST_CASE("bench: a stop ends the round", "[unit][selftest]") {
  std::atomic<bool> stop{true};
  BenchOptions options = virtual_time();
  options.stop = &stop;
  Bench bench(options);
  bench.add("a", ground());
  CHECK_THROWS_AS(bench.run_round(0), InterruptedError);
}

TEST_CASE("fault size: a fault of the size found costs the share that was asked for",
          "[unit][selftest]") {
  for (const InjectedFault& fault : injected_faults()) {
    INFO(fault.name);
    const double size = size_for_share(fault, 0.2, built_in_catalog());
    CHECK(share_at_size(fault, size, built_in_catalog()) == Approx(0.2).epsilon(0.06));
  }
}

TEST_CASE("confusion: rows are what was put in, columns what was named", "[unit][selftest]") {
  const InjectedFault *storage = find_fault("storage"), *lock = find_fault("lock");
  const Confusion c = confusion_of(
      {of(storage, Naming::one, {Component::storage}), of(storage, Naming::none),
       of(lock, Naming::tie, {Component::lock, Component::decode}),
       of(lock, Naming::one, {Component::collate}), of(nullptr, Naming::none),
       of(nullptr, Naming::one, {Component::tail}), of(nullptr, Naming::not_measured)});
  CHECK(c.rows == std::vector<std::string>{"storage", "lock", "no fault"});
  const auto at = [&](std::size_t row, const std::string& column) {
    const auto found = std::find(c.columns.begin(), c.columns.end(), column);
    REQUIRE(found != c.columns.end());
    return c.counts[row][static_cast<std::size_t>(found - c.columns.begin())];
  };
  CHECK(at(0, "storage") == 1);
  CHECK(at(0, "none") == 1);
  CHECK(at(1, "tie") == 1);
  CHECK(at(1, "wrong") == 1);
  CHECK(at(2, "none") == 1);
  CHECK(at(2, "tail") == 1);
  CHECK(at(2, "wrong") == 1);
  CHECK(c.cases == 7);
  CHECK(c.hits == 2);
}

TEST_CASE("selftest: a known answer is hit or missed only where identical trials agree",
          "[unit][selftest]") {
  CHECK(answer(0.001, 0.001).outcome() == Outcome::hit);
  CHECK(answer(-0.02, 0.001).outcome() == Outcome::missed);
  CHECK(answer(0.001, 0.05).outcome() == Outcome::too_noisy);  // near the truth by chance
  CHECK(answer(0.02, 0.05).outcome() == Outcome::too_noisy);
  // It is seen: 1 % is within 1.08 +- 0.81.
  CHECK(answer(0.0108, 0.0081).outcome() == Outcome::too_noisy);
  CHECK(answer(-0.0108, 0.0081).outcome() == Outcome::too_noisy);
  CHECK(answer(0.5, 0.05).outcome() == Outcome::missed);  // no noise explains that
  CHECK(answer(-0.5, 0.05).outcome() == Outcome::missed);
  // Exact on the limits.
  const auto allowing = [](double error, double repeats) {
    KnownAnswer a = answer(error, repeats);
    a.tolerance = 0.25;
    return a.outcome();
  };
  CHECK(allowing(0.25, 0.25) == Outcome::hit);
  CHECK(allowing(-0.25, 0.25) == Outcome::hit);
  CHECK(allowing(0.25, 0.3125) == Outcome::too_noisy);
  CHECK(allowing(0.375, 0.125) == Outcome::too_noisy);
  CHECK(allowing(-0.375, 0.125) == Outcome::too_noisy);
  CHECK(allowing(0.4375, 0.125) == Outcome::missed);
  CHECK(allowing(-0.4375, 0.125) == Outcome::missed);
  KnownAnswer unpaired = answer(0.001, 0);
  unpaired.repeats.reset();
  CHECK(unpaired.outcome() == Outcome::too_noisy);
  unpaired.measured_ms = 0;  // no usable trial at all
  CHECK(unpaired.outcome() == Outcome::missed);
}

TEST_CASE("selftest: the observer's cost is judged by its whole interval", "[unit][selftest]") {
  const auto cost = [](double low, double high, std::uint32_t n = 10) {
    return ObserverCost{{(low + high) / 2, low, high, n}}.outcome();
  };
  CHECK(cost(0.001, 0.004) == Outcome::hit);
  CHECK(cost(0.006, 0.009) == Outcome::missed);
  CHECK(cost(0.001, 0.009) == Outcome::too_noisy);
  CHECK(cost(0.001, 0.001, 1) == Outcome::too_noisy);
}

TEST_CASE("selftest: one truth missed is a miss, one too noisy leaves the whole unjudged",
          "[unit][selftest]") {
  SelftestResult r;
  r.answers = {answer(0.001, 0.001)};
  CHECK(r.outcome() == Outcome::hit);
  CHECK(r.noise().empty());
  r.answers.push_back(answer(0.001, 0.05));
  CHECK(r.outcome() == Outcome::too_noisy);
  CHECK(r.known_answers().hit == 1);
  CHECK(r.known_answers().too_noisy == 1);
  CHECK(r.noise().find("5 %") != std::string::npos);
  r.answers.push_back(answer(0.02, 0.001));  // this one should have been hit
  CHECK(r.outcome() == Outcome::missed);
  CHECK(r.noise().find("5 %") != std::string::npos);

  r.answers.clear();
  r.observer = ObserverCost{{0.005, 0.001, 0.009, 10}};
  CHECK(r.outcome() == Outcome::too_noisy);
  CHECK(r.noise().find("0.1 to 0.9 %") != std::string::npos);
  r.observer->share.low = 0.006;
  CHECK(r.outcome() == Outcome::missed);
}

TEST_CASE("selftest: a fault not named is the machine's only where identical pipelines differ",
          "[unit][selftest]") {
  SelftestResult r;
  r.cases = {of(find_fault("lock"), Naming::none),
             of(find_fault("lock"), Naming::one, {Component::lock})};
  CHECK(r.outcome() == Outcome::missed);
  r.same.pipelines = Estimate{0.01, 0, 0, 5};
  CHECK(r.outcome() == Outcome::missed);
  CHECK(r.noise().empty());
  r.same.pipelines = Estimate{0.04, 0, 0, 5};
  CHECK(r.outcome() == Outcome::too_noisy);
  CHECK(r.faults().hit == 1);
  CHECK(r.noise().find("4 %") != std::string::npos);
}

TEST_CASE("selftest: in virtual time one fault and its controls take no time", "[unit][selftest]") {
  SelftestOptions options{.catalog = built_in_catalog()};
  options.simulated = true;
  options.only = find_fault("copy");
  std::size_t told = 0;
  const SelftestResult r = run_selftest(options, [&](const SelftestProgress& p) {
    ++told;
    CHECK(p.share <= 1);
  });
  CHECK(told > 0);
  CHECK(r.hit());
  CHECK(r.confusion.rows == std::vector<std::string>{"copy", "no fault"});
  CHECK(r.same.comparisons >= 30);
  CHECK(r.trials.by_status[static_cast<std::size_t>(Status::valid)] > 100);
  CHECK(r.trials.by_status[static_cast<std::size_t>(Status::invalid)] == 0);
  CHECK_FALSE(r.lateness);
}

}  // namespace benchbench::selftest_test
