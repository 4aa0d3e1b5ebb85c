// A mock that took longer than it was set to is named, with by how much.
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/report/text/notes.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::late_mocks_test {

using test::good_facts;
using test::MadeRun;

constexpr std::int64_t kMs = 1'000'000;

struct MocksRun : MadeRun {
  std::uint32_t point_ = point({}, with_parts());
  std::uint32_t loader = trial(point_, Mode::loader), pipeline = trial(point_, Mode::pipeline);

  SettingsMap with_parts() const {
    SettingsMap s = settings(2);
    s.set("loader.use", test::words("synthetic"));
    s.set("trainer.use", test::words("timed"));
    return s;
  }
  // 100 batches and steps of 2 ms, which took this.
  Facts facts(std::int64_t batches_took, std::int64_t steps_took) const {
    Facts f = good_facts(400);
    f.parts.loader_mock = {200 * kMs, batches_took, 100};
    f.parts.trainer_mock = {200 * kMs, steps_took, 100};
    return f;
  }
  Warnings warnings() const { return analyse(plan, records).warnings; }
  std::vector<std::string> lines() const { return warning_lines(analyse(plan, records), plan); }
};

TEST_CASE("late mocks: a trainer is named with what it was set to and what it took",
          "[unit][report]") {
  MocksRun run;
  run.record(run.pipeline, 0, run.facts(200 * kMs, 231 * kMs));
  CHECK(run.lines() ==
        std::vector<std::string>{
            "mock trainer timed was set to 2 ms per step and took 2.31 ms (+15.5 %): "
            "its rate is not the configured one (base pipeline)"});
}

TEST_CASE("late mocks: over 1 %, of the rounds together, and not before", "[unit][report]") {
  MocksRun run;
  run.record(run.pipeline, 0, run.facts(202 * kMs, 200 * kMs));
  CHECK(run.warnings().late_mocks.empty());
  run.records[0].facts.parts.loader_mock.taken_ns += 1;
  REQUIRE(run.warnings().late_mocks.size() == 1);
  CHECK_FALSE(run.warnings().late_mocks[0].trainer);
  run.record(run.pipeline, 1, run.facts(200 * kMs, 200 * kMs));
  CHECK(run.warnings().late_mocks.empty());  // 0.5 % over both rounds
}

TEST_CASE("late mocks: the worst trial speaks for its side, the others are counted",
          "[unit][report]") {
  MocksRun run;
  run.record(run.loader, 0, run.facts(210 * kMs, 0));
  run.records[0].facts.parts.trainer_mock = {};  // discard takes no time
  run.record(run.pipeline, 0, run.facts(220 * kMs, 206 * kMs));
  const auto late = run.warnings().late_mocks;
  REQUIRE(late.size() == 2);
  CHECK(late[0].trial == run.pipeline);
  CHECK(late[0].trials == 2);
  CHECK(late[0].asked_ms == Approx(2));
  CHECK(late[0].taken_ms == Approx(2.2));
  CHECK(late[1].trainer);
  CHECK(late[1].trials == 1);
  CHECK(run.lines()[0] ==
        "mock loader synthetic was set to 2 ms per batch and took 2.2 ms (+10 %): "
        "its rate is not the configured one (base pipeline; over 1 % in 1 more trial)");
}

TEST_CASE("late mocks: an INVALID round and a part that is no mock say nothing", "[unit][report]") {
  MocksRun run;
  Facts bad = run.facts(300 * kMs, 300 * kMs);
  bad.accounting.duplicated = 1;
  run.record(run.pipeline, 0, bad);
  run.record(run.loader, 0, good_facts(400));
  CHECK(run.warnings().late_mocks.empty());
}

}  // namespace benchbench::late_mocks_test
