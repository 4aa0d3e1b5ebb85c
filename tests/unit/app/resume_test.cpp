#include <catch2/catch.hpp>

#include "harness/app/exit_code.h"
#include "harness/app/preparation/run_place.h"
#include "harness/app/session/opened_run.h"
#include "harness/core/error.h"

namespace benchbench {
namespace resume_test {

TrialRecord record(std::uint32_t trial, std::uint32_t round, Status status) {
  TrialRecord r;
  r.planned = {trial, round, 0};
  r.trial.digest = "of this plan";
  r.status = status;
  return r;
}

Plan plan_of(std::uint32_t trials, std::uint32_t rounds) {
  Plan plan;
  plan.digest = "0123456789abcdef";
  plan.trials.resize(trials);
  for (Trial& trial : plan.trials) trial.digest = "of this plan";
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint32_t t = 0; t < trials; ++t) plan.order.push_back({t, round, 0});
  return plan;
}

TEST_CASE("resume: what lasts is not run again, ABORTED is, FAILED only when asked",
          "[unit][app]") {
  const Plan plan = plan_of(2, 2);
  const std::vector<TrialRecord> have{record(0, 0, Status::valid), record(1, 0, Status::failed),
                                      record(0, 1, Status::aborted)};
  const auto todo = still_to_do(plan, plan.order, have);
  REQUIRE(todo.size() == 2);
  CHECK((todo[0].trial == 0 && todo[0].round == 1));
  CHECK((todo[1].trial == 1 && todo[1].round == 1));
  CHECK(still_to_do(plan, plan.order, have, true).size() == 3);
}

TEST_CASE("resume: a record of another plan is of nothing done, and replaces none", "[unit][app]") {
  const Plan plan = plan_of(2, 1);
  TrialRecord other = record(0, 0, Status::valid), beyond = record(7, 0, Status::valid);
  other.trial.digest = "of another plan";
  CHECK(still_to_do(plan, plan.order, std::vector{other, beyond, record(1, 0, Status::valid)})
            .size() == 1);
  const std::vector<TrialRecord> ours_first{record(0, 0, Status::valid),
                                            record(1, 0, Status::valid), other};
  CHECK(still_to_do(plan, plan.order, ours_first).empty());
  CHECK(latest_of_each(ours_first).size() == 3);
}

TEST_CASE("resume: a trial that was ended in its middle is none of the finished ones that are kept",
          "[unit][app]") {
  CHECK(finished_trials({}) == 0);
  CHECK(finished_trials({record(0, 0, Status::aborted)}) == 0);
  CHECK(finished_trials({record(0, 0, Status::valid), record(1, 0, Status::failed),
                         record(0, 1, Status::aborted)}) == 2);
}

TEST_CASE("resume: the last record of a slot counts, in the journal's order", "[unit][app]") {
  const auto kept = latest_of_each(
      {record(0, 0, Status::aborted), record(1, 0, Status::valid), record(0, 0, Status::valid)});
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].planned.trial == 1);
  CHECK((kept[1].planned.trial == 0 && kept[1].status == Status::valid));
}

TEST_CASE("resume: another build, machine or scenario is refused with the difference",
          "[unit][app]") {
  Journal stored;
  stored.plan = plan_of(1, 1);
  TrialRecord r = record(0, 0, Status::valid);
  r.environment.machine = "machine-a";
  r.environment.build_digest = "build-a";
  stored.records.push_back(r);
  Environment here = r.environment;
  CHECK_NOTHROW(check_same(stored, plan_of(1, 1), here));
  here.build_digest = "build-b";
  CHECK_THROWS_WITH(check_same(stored, plan_of(1, 1), here), Catch::Contains("different build"));
  here.machine = "machine-b";
  CHECK_THROWS_WITH(check_same(stored, plan_of(1, 1), here), Catch::Contains("different machine"));
  Plan other = plan_of(1, 1);
  other.digest = "fedcba9876543210";
  CHECK_THROWS_WITH(check_same(stored, other, r.environment),
                    Catch::Contains("different scenario") &&
                        Catch::Contains("(the options or this machine's capabilities differ)"));
  const auto whole = [](std::string_view text) {
    return Value::parse(ParameterType::integer, text).value();
  };
  stored.plan.scenario.base.set("loader.batch_size", whole("32"));
  stored.plan.scenario.base.set("loader.num_workers", whole("2"));
  stored.plan.scenario.base.set("measure.rounds", whole("3"));
  other.scenario.base.set("loader.batch_size", whole("16"));
  other.scenario.base.set("measure.rounds", whole("3"));
  other.scenario.base.set("measure.seed", whole("7"));
  CHECK_THROWS_WITH(check_same(stored, other, r.environment),
                    Catch::Contains("(loader.batch_size was 32, is 16; loader.num_workers was 2, "
                                    "is not set; measure.seed was not set, is 7)"));
}

TEST_CASE("resume: the command that continues a run has all that it was given, fit for a shell",
          "[unit][app]") {
  const Option options[] = {{"--set", "KEY=VALUE", "", true}, {"--rounds", "N", "", false},
                            {"--resume", "", "", false},      {"--out", "DIR", "", false},
                            {"--quiet", "", "", false},       {"--json", "FILE", "", false}};
  Arguments given;
  given.set_positional({"my runs/a.yaml"});
  given.add("--set", {"loader.batch_size=8", "loader.args.note=it's [1, 2]"});
  given.add("--rounds", {"3", "5"});  // the last counts
  given.add("--quiet", {});
  given.add("--out", {"elsewhere"});
  CHECK(resume_command(given, options, "r") ==
        "benchbench run 'my runs/a.yaml' --set loader.batch_size=8 --set "
        "'loader.args.note=it'\\''s [1, 2]' --rounds 5 --quiet --resume --out r");
  given.add("--resume", {});
  CHECK(resume_command(given, options, "r").find("--resume --resume") == std::string::npos);
}

TEST_CASE("resume: the budget is that of the command that continues, the cuts are the stored ones",
          "[unit][app]") {
  const auto minutes = [](std::string_view text) {
    return Value::parse(ParameterType::duration, text).value();
  };
  Plan stored = plan_of(1, 2), now = plan_of(1, 3);
  stored.cuts = {"2 rounds instead of 3"};
  stored.scenario.base.set("measure.budget", minutes("1min"));
  CHECK_FALSE(with_budget_of(stored, now).scenario.base.has("measure.budget"));
  now.scenario.base.set("measure.budget", minutes("5min"));
  const Plan taken = with_budget_of(stored, now);
  CHECK(taken.scenario.base.text("measure.budget") == "5min");
  CHECK(taken.cuts == stored.cuts);
  CHECK(taken.order.size() == 2);
}

TEST_CASE("exit code: the strongest wins, in the documented order", "[unit][app]") {
  CHECK(strongest({}) == 0);
  CHECK(strongest({0, 1, 8}) == 8);
  CHECK(strongest({1, 5, 130}) == 130);
  CHECK(strongest({2, 5}) == 5);
  CHECK(strongest({7, 3, 4}) == 7);
}

}  // namespace resume_test
}  // namespace benchbench
