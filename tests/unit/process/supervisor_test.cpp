// The supervisor with a child that never answers: /bin/sleep.
#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

#include "harness/core/error.h"
#include "harness/process/supervisor.h"
#include "tests/at_most.h"
#include "tests/hang.h"

namespace benchbench::supervisor_test {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

SettingsMap timeout_of(std::string_view timeout) {
  SettingsMap settings;
  settings.set("measure.timeout", Value::parse(ParameterType::duration, timeout).value());
  return settings;
}

class Kept final : public TrialSink {
 public:
  void started(const Trial&, const PlannedRun&) override {}
  void progressed(const Trial&, const PlannedRun&, const TrialProgress&) override {}
  void finished(TrialRecord& record) override { records.push_back(record); }
  std::vector<TrialRecord> records;
};

}  // namespace

TEST_CASE("supervisor: a trial hangs beyond its timeout and three seconds, or a tenth of it",
          "[unit][process]") {
  const milliseconds patience = SupervisorOptions{}.hang_patience;
  CHECK(hang_limit(timeout_of("1s"), patience) == milliseconds{4'000});
  CHECK(hang_limit(timeout_of("30s"), patience) == milliseconds{33'000});
  CHECK(hang_limit(timeout_of("60s"), patience) == milliseconds{66'000});
  CHECK(hang_limit(timeout_of("1h"), patience) == milliseconds{3'960'000});
  CHECK(hang_limit({}, patience) == milliseconds{660'000});
  CHECK(hang_limit(timeout_of("200ms"), milliseconds{50}) == milliseconds{250});
}

// 0.3 s on the real clock, since that is the clock of a hang; ten times as much would be 3 s.
TEST_CASE(
    "supervisor: a child that never answers is killed at that limit, "
    "and the next trial gets a fresh one",
    "[unit][process]") {
  Plan plan;
  plan.trials.resize(1);
  plan.trials[0].settings = timeout_of("100ms");
  SupervisorOptions options;
  options.program = "/bin/sleep";
  options.child_arguments = {"1000"};
  options.hang_patience = milliseconds{200};
  const std::vector<PlannedRun> todo{{0, 0, 0}, {0, 0, 1}};
  test::judge_longest("two children that never answer", milliseconds{3'000}, [&] {
    Kept kept;
    const auto begin = Clock::now();
    CHECK(supervise(plan, todo, options, kept) == SupervisorEnd::complete);
    const auto took = Clock::now() - begin;
    CHECK(kept.records.size() == 2);
    for (const TrialRecord& record : kept.records) {
      CHECK(record.status == Status::failed);
      REQUIRE(record.reasons.size() == 1);
      CHECK(record.reasons[0].text == "hung: no result within its timeout of 100 ms; killed");
    }
    CHECK(took >= milliseconds{600});
    return took;
  });
}

TEST_CASE("supervisor: what a child says of a trial comes back, and nonsense is refused",
          "[unit][process]") {
  for (const Phase phase :
       {Phase::starting, Phase::warming_up, Phase::measuring, Phase::finishing}) {
    const TrialProgress p = progress_from(progress_payload({phase, 0.25, 1234.5}));
    CHECK(p.phase == phase);
    CHECK(p.share == 0.25);
    CHECK(p.samples_per_second == 1234.5);
  }
  for (const char* nonsense : {"", "0 1", "-1 0.5 1", "4 0.5 1", "x 0.5 1"}) {
    CAPTURE(nonsense);
    CHECK_THROWS_AS(progress_from(nonsense), PartError);
  }
  const PlannedRun planned = planned_from(planned_payload({7, 8, 9}));
  CHECK((planned.trial == 7 && planned.round == 8 && planned.repeat == 9));
  CHECK_THROWS_AS(planned_from("7 8"), PartError);
}

// A trial in this process that runs until it is asked to stop.
TrialRecord run_until(const std::atomic<bool>& stop) {
  const auto hung = Clock::now() + test::kHang;
  while (!stop && Clock::now() < hung) std::this_thread::sleep_for(milliseconds{1});
  TrialRecord record;
  record.status = stop ? Status::aborted : Status::valid;
  return record;
}

TEST_CASE(
    "supervisor: a trial in this process is asked to stop where the budget ends, and is ABORTED",
    "[unit][process]") {
  Plan plan;
  plan.trials.resize(1);
  SupervisorOptions options;
  options.isolation = Isolation::none;
  options.run_here = [](const Trial&, const PlannedRun&, const std::atomic<bool>& stop) {
    return run_until(stop);
  };
  const std::vector<PlannedRun> todo{{0, 0, 0}, {0, 0, 1}};
  Kept kept;
  // On a busy machine a short budget may be over before the trial begins.
  for (double most = 0.05; kept.records.empty() && most < 300; most *= 4) {
    options.budget = {.aim = 0.02, .most = most, .planned = {}};
    const auto begin = Clock::now();
    CHECK(supervise(plan, todo, options, kept) == SupervisorEnd::out_of_time);
    CHECK(Clock::now() - begin >= std::chrono::duration<double>(most));
  }
  REQUIRE(kept.records.size() == 1);
  CHECK(kept.records[0].status == Status::aborted);
  CHECK(kept.records[0].reasons.at(0).text == "the budget was used up before it ended");
}

TEST_CASE("supervisor: a trial in this process hears of an interrupt, with a budget and without",
          "[unit][process]") {
  for (const double seconds : {0.0, 1000.0}) {
    Plan plan;
    plan.trials.resize(1);
    std::atomic<bool> interrupt{false};
    SupervisorOptions options;
    options.isolation = Isolation::none;
    options.stop = &interrupt;
    options.budget = {.aim = seconds, .most = seconds, .planned = {}};
    options.run_here = [&](const Trial&, const PlannedRun&, const std::atomic<bool>& stop) {
      interrupt = true;
      return run_until(stop);
    };
    const std::vector<PlannedRun> todo{{0, 0, 0}};
    Kept kept;
    CHECK(supervise(plan, todo, options, kept) == SupervisorEnd::stopped);
    CHECK(kept.records.at(0).status == Status::aborted);
  }
}

}  // namespace benchbench::supervisor_test
