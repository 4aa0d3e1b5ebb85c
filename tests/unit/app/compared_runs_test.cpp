#include "harness/app/compare/compared_runs.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/store/sealed_line.h"
#include "tests/scratch_folder.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::compared_runs_test {
namespace {

using Catch::Matchers::Contains;

// A store of a plan without points and records.
std::string empty_store(const std::string& parent, const std::string& name) {
  const std::string folder = parent + "/" + name;
  RunFolder::create(folder, Plan{}, Environment{});
  return folder;
}

void write_plan(const std::string& folder, const std::string& json) {
  std::ofstream(folder + "/plan.json") << sealed(json);
}

std::string error_of(const std::vector<std::string>& folders) {
  try {
    read_runs(folders);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("compared runs: a store of another version is refused, with both versions",
          "[unit][app]") {
  const std::string parent = test::make_scratch_folder("compared");
  const std::string a = empty_store(parent, "a"), b = empty_store(parent, "b");
  CHECK(error_of({a, b}) == "none");
  std::string json = to_json(Plan{});
  const std::size_t at = json.find("\"version\":");
  REQUIRE(at != std::string::npos);
  json.insert(at + 10, "99");
  write_plan(b, json);
  CHECK_THAT(error_of({a, b}),
             Contains("/b cannot be read: ") && Contains("this program reads version"));
  std::filesystem::remove_all(parent);
}

TEST_CASE("compared runs: one folder needs the mark of --interleave, and its rounds are pairs then",
          "[unit][app]") {
  const std::string parent = test::make_scratch_folder("compared");
  empty_store(parent, "a"), empty_store(parent, "b");
  CHECK_THAT(error_of({parent}),
             Contains("one folder is compared only where --interleave made it"));
  mark_interleaved(parent);
  CHECK(read_runs({parent}).relation == Relation::interleaved);
  // Nothing shows that two empty stores are one run.
  CHECK(read_runs({parent + "/a", parent + "/b"}).relation == Relation::stored);
  CHECK_THAT(error_of({parent + "/c", parent + "/a"}), Contains("there is no folder"));
  std::filesystem::remove_all(parent);
}

TEST_CASE("compared runs: without a trial nothing can be said", "[unit][app]") {
  const std::string parent = test::make_scratch_folder("compared");
  const ComparedRuns runs = read_runs({empty_store(parent, "a"), empty_store(parent, "b")});
  const CompareReport report = report_of(runs, {.gates = gates_from("slower")});
  CHECK(outcome_of(report) == CompareOutcome::nothing_usable);
  CHECK_THAT(compare_text(report, 100, false), Contains("A has no VALID or NOISY trial"));
  ComparedRuns cut = runs;
  cut.ended_early = "the budget of 2min ended after 1 of 15 rounds";
  CHECK(compare_summary(report_of(cut, CompareOptions())) ==
        "the budget of 2min ended after 1 of 15 rounds; " + compare_summary(report));
  std::filesystem::remove_all(parent);
}

TEST_CASE("compared runs: --across takes settings that a run has, and names the nearest",
          "[unit][app]") {
  test::MadeRun run;
  run.trial(run.point({}, run.settings(2)), Mode::loader);
  ComparedRuns runs;
  runs.a.plan = run.plan;  // B has no point
  const auto across = [&](const std::string& key) {
    CompareOptions options;
    options.asked.across = {"loader.batch_size", key};
    report_of(runs, options);
  };
  CHECK_NOTHROW(across("loader.num_workers"));
  CHECK_THROWS_WITH(across("loader.num_wrkers"),
                    Contains("--across loader.num_wrkers") && Contains("loader.num_workers?"));
  CHECK_THROWS_AS(across("loader.num_wrkers"), UsageError);
}

TEST_CASE("compared runs: other programs are named with the side that ran next to them",
          "[unit][app]") {
  test::MadeRun run;
  const auto trial = run.trial(run.point({}, run.settings(2)), Mode::loader);
  Facts shared = test::good_facts(1000);
  shared.cpu.user_s = 1, shared.cpu.system_s = 0;
  shared.cpu.others_s = 0.9, shared.cpu.run_delay_most_s = 0;
  ComparedRuns runs;
  runs.a.plan = runs.b.plan = run.plan;
  run.record(trial, 0, test::good_facts(1000));
  runs.a.records = run.records;
  run.records.clear();
  run.record(trial, 0, shared);
  runs.b.records = run.records;
  const CompareReport report = report_of(runs, {.gates = gates_from("slower")});
  CHECK(report.notes == std::vector<std::string>{"B: other programs used 0.9 of 2 cores"});
}

}  // namespace benchbench::compared_runs_test
