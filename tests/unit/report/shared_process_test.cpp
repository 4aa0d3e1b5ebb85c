// A trial that is measured both ways, in a process of its own and in one that ran others.
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/report/text/notes.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::shared_process_test {

using test::good_facts;
using test::MadeRun;

struct SharedRun : MadeRun {
  std::uint32_t point_ = point({}, settings(2));
  std::uint32_t trial_ = trial(point_, Mode::pipeline);
  std::uint32_t round = 0;

  void add(double rate, std::uint32_t trials_before) {
    Facts facts = good_facts(rate);
    facts.external.emplace().trials_before = trials_before;
    record(trial_, round++, facts);
  }
  std::optional<Warnings::SharedProcess> found() const {
    return analyse(plan, records).warnings.shared_process;
  }
};

TEST_CASE("shared process: a rate that is another one there is a warning", "[unit][report]") {
  SharedRun run;
  for (const double rate : {400.0, 401.0, 399.0}) run.add(rate, 0);
  for (const double rate : {440.0, 441.0, 439.0}) run.add(rate, 2);
  REQUIRE(run.found());
  CHECK(run.found()->gap == Approx(0.1).epsilon(0.01));
  const auto lines = warning_lines(analyse(run.plan, run.records), run.plan);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("rates in the shared process differ from those in a fresh one by +10.0 %;") ==
        0);
}

TEST_CASE("shared process: a run that compared none with a fresh one says so", "[unit][report]") {
  SharedRun run;
  for (const double rate : {440.0, 441.0}) run.add(rate, 2);
  const auto says = [&] {
    const auto lines = warning_lines(analyse(run.plan, run.records), run.plan);
    return !lines.empty() && lines[0].find("trials shared a process, and none was measured") == 0;
  };
  CHECK(says());
  run.add(440, 0);
  CHECK_FALSE(says());
}

TEST_CASE("shared process: a difference that chance makes is none", "[unit][report]") {
  SharedRun run;
  SECTION("of spread rates") {
    for (const double rate : {400.0, 440.0, 420.0}) run.add(rate, 0);
    for (const double rate : {420.0, 470.0, 430.0}) run.add(rate, 2);
  }
  SECTION("of one rate each") {
    run.add(400, 0);
    run.add(440, 2);
  }
  SECTION("under 2 %") {
    for (const double rate : {400.0, 400.1, 399.9}) run.add(rate, 0);
    for (const double rate : {404.0, 404.1, 403.9}) run.add(rate, 2);
  }
  SECTION("where nothing was shared") {
    for (const double rate : {400.0, 401.0, 440.0, 441.0}) run.add(rate, 0);
  }
  CHECK_FALSE(run.found());
}

}  // namespace benchbench::shared_process_test
