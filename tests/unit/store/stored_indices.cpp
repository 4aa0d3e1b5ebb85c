// Indices of a plan and of records, as they are read back.
#include "harness/store/stored_indices.h"
#include "harness/core/files/whole_file.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/store/durable_file.h"
#include "harness/store/sealed_line.h"
#include "tests/unit/store/folder.h"

namespace benchbench::store_tests {
namespace {

Plan two_by_two() {
  Plan plan = plan_of();
  plan.points.resize(2);
  plan.trials.resize(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    plan.points[i].index = plan.trials[i].index = i;
    plan.points[i].trials = {{Mode::pipeline, i}};
    plan.points[i].ablations.clear();
    plan.trials[i].points = {i};
  }
  plan.points[0].ablations = {{Ablation{}, 1}};
  plan.order = {{0, 0, 0}, {1, 0, 0}};
  plan.anchor = 1;
  return plan;
}

std::string refusal_of(const Plan& plan) {
  try {
    check_indices(plan);
    return "";
  } catch (const StoreError& e) {
    return std::string(e.message());
  }
}

}  // namespace

TEST_CASE("stored indices: each of a plan names what is there", "[unit][store]") {
  CHECK(refusal_of(two_by_two()).empty());
  Plan plan = two_by_two();
  plan.points[1].trials[0].second = 2;
  CHECK(refusal_of(plan) == "the plan is damaged: points[1].trials[0]: trial 2 of 2");
  plan = two_by_two();
  plan.points[0].ablations[0].second = 2;
  CHECK(refusal_of(plan) == "the plan is damaged: points[0].ablations[0]: trial 2 of 2");
  plan = two_by_two();
  plan.trials[1].points = {1, 2};
  CHECK(refusal_of(plan) == "the plan is damaged: trials[1].points[1]: point 2 of 2");
  plan = two_by_two();
  plan.order[1].trial = 2;
  CHECK(refusal_of(plan) == "the plan is damaged: order[1].trial: trial 2 of 2");
  plan = two_by_two();
  plan.anchor = 2;
  CHECK(refusal_of(plan) == "the plan is damaged: anchor: trial 2 of 2");
  plan.anchor = kNoAnchor;
  CHECK(refusal_of(plan).empty());
  plan.points[1].index = 0;
  CHECK(refusal_of(plan) == "the plan is damaged: points[1].index: 0 at place 1");
  plan = two_by_two();
  plan.trials[0].index = 1;
  CHECK(refusal_of(plan) == "the plan is damaged: trials[0].index: 1 at place 0");
}

TEST_CASE("stored indices: a record's slot and points are of its plan", "[unit][store]") {
  const Plan plan = two_by_two();
  TrialRecord record = record_of(0);
  record.planned = {1, 0, 0};
  record.trial.points = {0, 1};
  CHECK_NOTHROW(check_indices(record, plan));
  record.planned.trial = 2;
  CHECK_THROWS_WITH(check_indices(record, plan),
                    "the record is damaged: planned.trial: trial 2 of 2");
  record.planned.trial = 0;
  record.trial.points = {0, 2};
  CHECK_THROWS_WITH(check_indices(record, plan),
                    "the record is damaged: trial.points[1]: point 2 of 2");
}

TEST_CASE("stored indices: a run's folder with one that is wrong is refused by its place",
          "[unit][store]") {
  const TemporaryFolder temporary;
  const std::string path = temporary / "run";
  {
    RunFolder folder = RunFolder::create(path, two_by_two(), environment());
    TrialRecord first = record_of(0), second = record_of(1);
    second.planned.trial = 9;
    folder.append(first);
    folder.append(second);
  }
  Journal journal;
  for (const auto& read : {std::function<void()>([&] { RunFolder::read(path); }),
                           {[&] { RunFolder::resume(path, journal); }}}) {
    try {
      read();
      FAIL("was read");
    } catch (const StoreError& e) {
      CHECK(e.message() == "the record is damaged: planned.trial: trial 9 of 2");
      CHECK(std::string(e.context()).find("journal.jsonl:2") != std::string::npos);
    }
  }
  Plan plan = two_by_two();
  plan.anchor = 5;
  write_whole(path + "/plan.json", sealed(to_json(plan)));
  CHECK_THROWS_WITH(RunFolder::read(path), Catch::Contains("anchor: trial 5 of 2"));
}

TEST_CASE("durable file: neither a lock nor a temporary file follows a link", "[unit][store]") {
  const TemporaryFolder temporary;
  write_whole(temporary / "victim", "theirs");
  for (const char* name : {"lock", "plan.json.tmp", "journal.jsonl", "environment.json.tmp"}) {
    CAPTURE(name);
    const std::string path = (temporary / "run-") + name;
    std::filesystem::create_directory(path);
    std::filesystem::create_symlink("../victim", path + "/" + name);
    CHECK_THROWS_WITH(RunFolder::create(path, plan_of(), environment()),
                      Catch::Contains("symbolic link") || Catch::Contains("not empty"));
  }
  CHECK(read_whole(temporary / "victim") == "theirs");
}

}  // namespace benchbench::store_tests
