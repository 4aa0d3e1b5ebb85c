// The cost of page faults, and two runs of one trial that are not alike.
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/surroundings.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::page_faults_test {

using test::good_facts;
using test::MadeRun;

struct FaultyRun : MadeRun {
  std::uint32_t point_ = point({}, settings(0));
  std::uint32_t trainer = trial(point_, Mode::trainer), loader = trial(point_, Mode::loader);

  // A window of 1 s whose steps all took its time over their number, at 1 us a page fault.
  void run(std::uint32_t trial, double rate, std::uint64_t faults, std::uint32_t repeat = 0) {
    Facts f = good_facts(rate);
    const double step = 1e9 / static_cast<double>(f.window.steps);
    f.window.step = {step, step, step, step, step, f.window.steps};
    f.cpu.page_faults = faults;
    if (trial != loader) f.workers.count = 0;
    record(trial, 0, f, repeat).environment.page_fault_ns = 1000;
  }
  Findings findings() const { return analyse(plan, records); }
  std::string detail(std::string_view name) const {
    for (const auto& [title, text] : surroundings_of(findings(), plan, ""))
      if (title == name) return text;
    return "";
  }
  std::vector<std::string> lines() const { return warning_lines(findings(), plan); }
};

TEST_CASE("page faults: over 1 % of a trial's time they are named, and not before",
          "[unit][report]") {
  FaultyRun run;
  run.run(run.trainer, 1000, 10'000);  // 100 steps
  CHECK_FALSE(run.findings().page_faults);
  run.records[0].facts.cpu.page_faults = 40'000;
  CHECK(run.findings().page_faults->share == Approx(0.04));
  CHECK(run.detail("page faults") ==
        "base trainer: 400 a step at 1 us each take 4.0 % of the time of its threads");
  run.records[0].environment.page_fault_ns = 0;  // not measured
  CHECK_FALSE(run.findings().page_faults);
}

TEST_CASE("page faults: they share the time of the workers, the worst trial is named",
          "[unit][report]") {
  FaultyRun run;
  run.run(run.trainer, 1000, 20'000);
  run.run(run.loader, 1000, 60'000);
  run.records[1].facts.workers.count = 3;
  CHECK(run.findings().page_faults->trial == run.trainer);
  CHECK(run.findings().page_faults->share == Approx(0.02));
  run.records[1].facts.cpu.page_faults = 100'000;
  CHECK(run.findings().page_faults->trial == run.loader);
  CHECK(run.findings().page_faults->share == Approx(0.025));
}

TEST_CASE("unlike repeats: two runs of a trial in one round that steps do not explain",
          "[unit][report]") {
  FaultyRun run;
  run.run(run.trainer, 1000, 400'000);
  run.run(run.trainer, 1010, 400'000, 1);
  CHECK(run.lines().empty());
  run.run(run.trainer, 1800, 4, 2);
  CHECK(run.lines() ==
        std::vector<std::string>{
            "the same trial differs by 1.80x in round 1, by page faults: base trainer, runs 1 and "
            "3"});
  run.records[2].facts.cpu.page_faults = 720'000;  // 4000 a step as the others
  CHECK(run.lines()[0].find(", by an unknown cause: base") != std::string::npos);
}

TEST_CASE("unlike repeats: steps that are spread as widely as the runs differ say nothing",
          "[unit][report]") {
  FaultyRun run;
  run.run(run.trainer, 1000, 0);
  run.run(run.trainer, 1800, 0, 1);
  REQUIRE(run.lines().size() == 1);
  run.records[1].facts.window.step.p90 = 10e6;  // as long as the slower run's
  CHECK(run.lines().empty());
}

TEST_CASE("unlike repeats: points with the same settings are the same trial", "[unit][report]") {
  FaultyRun run;
  const auto again =
      run.trial(run.point({{"loader.num_workers", "0 #2"}}, run.settings(0)), Mode::trainer);
  const auto other =
      run.trial(run.point({{"loader.num_workers", "1"}}, run.settings(1)), Mode::trainer);
  run.run(run.trainer, 1000, 0);
  run.run(other, 1800, 0);
  CHECK(run.lines().empty());
  run.run(again, 1800, 0);
  REQUIRE(run.lines().size() == 1);
  CHECK(run.lines()[0].ends_with(": base trainer, num_workers=0 #2 trainer"));
}

TEST_CASE("unlike repeats: rounds are not held against each other", "[unit][report]") {
  FaultyRun run;
  run.run(run.trainer, 1000, 0);
  run.run(run.trainer, 1800, 0);
  run.records[1].planned.round = 1;
  CHECK(run.lines().empty());
}

}  // namespace benchbench::page_faults_test
