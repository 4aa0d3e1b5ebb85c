// The report of a require follows from its records alone.
#include "harness/app/require/require_records.h"

#include <catch2/catch.hpp>

#include "harness/app/require/require_trials.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::require_records_test {
namespace {

using test::good_facts;

// A step of 1,000 samples/s from memory, whose first round has run.
struct MadeRequire : test::MadeRun {
  std::uint32_t base = point({}, settings(1)), loader = trial(base, Mode::loader),
                trainer = trial(base, Mode::trainer);
  std::vector<std::uint32_t> rungs;

  MadeRequire() {
    plan.scenario.base = settings(1);
    plan.scenario.base.set("loader.use", test::words("synthetic"));
    record(loader, 0, good_facts(500));
    for (int i = 0; i < 3; ++i) record(trainer, 0, good_facts(1000));
    for (const double rate : supply_ladder(1000)) {
      SettingsMap fed = settings(1);
      fed.set("loader.rate", test::words(std::to_string(rate)));
      rungs.push_back(trial_in(plan, Mode::pipeline, fed, kRateLabel, std::to_string(rate)));
    }
  }
  // A round of the search in which the fed step is `share` as fast as the one from memory.
  void look(std::uint32_t round, double share, Status status = Status::valid) {
    record(rungs[read().found.next.value()], round, good_facts(1000 * share)).status = status;
    record(trainer, round, good_facts(1000));
  }
  std::size_t first() const { return *required_rate(read().problem, {}).next; }
  RequireReport read(bool interrupted = false) const {
    return read_require(plan, records, interrupted);
  }
};

}  // namespace

TEST_CASE("require: a round of its search is one look, at the rate that it fed the step at",
          "[unit][app]") {
  MadeRequire made;
  CHECK(made.read().looks.empty());
  CHECK(made.read().stop == RequireStop::budget);
  made.look(1, 0.5);
  const RequireReport r = made.read();
  REQUIRE(r.looks.size() == 1);
  CHECK(r.looks[0].rung == made.first());
  CHECK(r.looks[0].slower == Approx(std::log(2.0)));
  CHECK(r.trainer_rate == Approx(1000));
  CHECK(r.trials == made.records.size());
}

TEST_CASE("require: the scenario's loader counts once it has run again, after the search",
          "[unit][app]") {
  MadeRequire made;
  std::uint32_t round = 1;
  for (; made.read().found.next; ++round) made.look(round, 1);
  REQUIRE(made.read().stop == RequireStop::found);
  CHECK(made.read().loaders.empty());
  made.record(made.loader, round, good_facts(700));
  const RequireReport r = made.read();
  REQUIRE(r.loaders.size() == 1);
  CHECK(r.loaders[0].rate == Approx(600));
  CHECK(r.loaders[0].workers == 1);
}

TEST_CASE("require: three rounds in a row without a usable trial end its search", "[unit][app]") {
  MadeRequire made;
  for (const std::uint32_t round : {1u, 2u}) made.look(round, 1, Status::invalid);
  CHECK(made.read().stop == RequireStop::budget);
  made.look(3, 1, Status::failed);
  CHECK(made.read().stop == RequireStop::no_supply);
  made.look(4, 1);
  CHECK(made.read().stop != RequireStop::no_supply);
  CHECK(made.read(true).stop == RequireStop::interrupted);
}

TEST_CASE("require: without a usable trial of the step nothing can be said", "[unit][app]") {
  MadeRequire made;
  for (TrialRecord& r : made.records) r.status = Status::failed;
  CHECK(made.read().stop == RequireStop::no_trainer);
  CHECK(made.read().problem.rates.empty());
}

}  // namespace benchbench::require_records_test
