// The short trials that price what never ran on this machine.
#include "harness/app/run/trial_estimate.h"

#include <catch2/catch.hpp>

namespace benchbench::trial_estimate_test {
namespace {

std::string limit_of_probe(const char* own) {
  Trial trial;
  if (own)
    trial.settings.set("measure.timeout", Value::parse(ParameterType::duration, own).value());
  return probe_of(trial).settings.text("measure.timeout");
}

}  // namespace

TEST_CASE(
    "probe: a trial's own time limit holds for its probe, "
    "and a minute where it is longer or there is none",
    "[unit][app]") {
  CHECK(limit_of_probe("4s") == "4s");
  CHECK(limit_of_probe("10min") == "60s");
  CHECK(limit_of_probe("0s") == "60s");
  CHECK(limit_of_probe(nullptr) == "60s");
}

TEST_CASE("probe: its trial is known to be one", "[unit][app]") {
  CHECK(probe_of({}).settings.boolean("measure.probe"));
}

namespace {

Trial trial_of(std::uint32_t index, Mode mode, const char* digest) {
  Trial trial;
  trial.index = index, trial.mode = mode, trial.digest = digest;
  return trial;
}

TrialRecord record_of(Trial trial) {
  TrialRecord record;
  record.planned = {trial.index, 0, 0};
  record.trial = std::move(trial);
  record.facts.window.steps = 7;
  return record;
}

}  // namespace

TEST_CASE("first trials: those that the plan still has stand in its first round", "[unit][app]") {
  Plan plan;
  plan.trials = {trial_of(0, Mode::loader, "l"), trial_of(1, Mode::trainer, "longer"),
                 trial_of(2, Mode::pipeline, "p")};
  plan.trials[2].points = {3};
  const std::vector<TrialRecord> found =
      find_in_plan({record_of(trial_of(4, Mode::pipeline, "p")),
                    record_of(trial_of(5, Mode::trainer, "t")),  // its window was cut
                    record_of(trial_of(6, Mode::trainer, "l"))},
                   plan);
  REQUIRE(found.size() == 1);
  CHECK(found[0].planned.trial == 2);
  CHECK(found[0].planned.round == 0);
  CHECK(found[0].trial.index == 2);
  CHECK(found[0].trial.points == std::vector<std::uint32_t>{3});
  CHECK(found[0].facts.window.steps == 7);
}

TEST_CASE("first trials: none run in virtual time, or without time", "[unit][app]") {
  PreparedPlan simulated, plain;
  simulated.simulated = true;
  CHECK(run_first_trials(simulated, 100).empty());
  plain.plan.trials = {trial_of(0, Mode::loader, "l")};
  CHECK(run_first_trials(plain, 0).empty());
}

}  // namespace benchbench::trial_estimate_test
