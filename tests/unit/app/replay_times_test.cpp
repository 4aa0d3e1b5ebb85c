// Times to be replayed: what a file may hold, and how each mistake in it is told.
#include "harness/app/preparation/replay_times.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/app/preparation/csv_times.h"
#include "harness/core/error.h"
#include "harness/store/run_folder.h"
#include "tests/scratch_folder.h"

namespace benchbench {
namespace replay_times_test {

using Times = std::vector<std::int64_t>;

TEST_CASE("replay times: a line a value, in seconds unless the column's name says otherwise",
          "[unit][app]") {
  CHECK(times_of_csv("0.001\n0.25\n0\n", "t.csv", "") == Times{1'000'000, 250'000'000, 0});
  CHECK(times_of_csv("batch_ms\n1.5\n2e1\n", "t.csv", "") == Times{1'500'000, 20'000'000});
  CHECK(times_of_csv("# measured on a Monday\nns\n7\n", "t.csv", "") == Times{7});
  CHECK(times_of_csv("wait_us\r\n3\r\n\r\n", "t.csv", "") == Times{3000});
  CHECK(times_of_csv("time_s\n1\n", "t.csv", "") == Times{1'000'000'000});
  // "items" ends in "ms", but is no unit.
  CHECK(times_of_csv("items\n1\n", "t.csv", "") == Times{1'000'000'000});
  CHECK(times_of_csv("\xef\xbb\xbf\"step_ns\"\n12\n", "t.csv", "") == Times{12});
}

TEST_CASE("replay times: the column named, else the only one that holds numbers", "[unit][app]") {
  const std::string text = "name, load_ms, step_us\na, 1, 20\nb, 2, 30\n";
  CHECK(times_of_csv("name, load_ms\na, 1\nb, 2\n", "t.csv", "") == Times{1'000'000, 2'000'000});
  CHECK_THROWS_WITH(times_of_csv(text, "t.csv", ""),
                    Catch::Contains("t.csv:2: 2 columns contain numbers"));
  CHECK_THROWS_WITH(times_of_csv("-1ms\n2ms\n", "t.csv", ""),
                    Catch::Contains("t.csv:1: \"-1ms\" is neither"));
  CHECK(times_of_csv(text, "t.csv", "step_us") == Times{20'000, 30'000});
  CHECK_THROWS_WITH(times_of_csv(text, "t.csv", "step_ms"),
                    Catch::Contains("t.csv:1: no column \"step_ms\"; did you mean step_us?"));
  CHECK_THROWS_WITH(times_of_csv("1\n2\n", "t.csv", "a"), Catch::Contains("no column \"a\""));
}

TEST_CASE("replay times: each bad value is told by file, line, value and what is allowed",
          "[unit][app]") {
  struct Bad {
    std::string text, says;
  };
  for (const Bad& bad : {
           Bad{"0.1\n-0.2\n", "t.csv:2: -0.2 is not a valid time"},
           Bad{"0.1\nnan\n", "t.csv:2: nan is not a valid time"},
           Bad{"a_ms\n1\nNaN\n", "t.csv:3: NaN is not a valid time"},
           Bad{"0.1\ninf\n", "t.csv:2: inf is not a valid time"},
           Bad{"0.1\n1e999\n", "t.csv:2: 1e999 is not a valid time"},
           Bad{"0.1\n90000\n", "t.csv:2: 90000 is not a valid time"},
           Bad{"0.1\n\n0.2\n", "t.csv:2: the value is missing"},
           Bad{"a,b\nx,1\ny,\n", "t.csv:3: the value is missing"},
           Bad{"a,b\nx,1\ny\n", "t.csv:3: the value is missing"},
           Bad{"0.1\n12ms\n", "t.csv:2: \"12ms\" is not a number"},
           Bad{"0.1\n0x10\n", "t.csv:2: \"0x10\" is not a number"},
           Bad{"fast\nslow\n", "t.csv:2: \"slow\" is not a number"},
           Bad{"", "t.csv contains no times"},
           Bad{"# nothing\n\n", "t.csv contains no times"},
           Bad{"step_ns\n", "t.csv contains only a line of column names"},
       }) {
    INFO(bad.text);
    CHECK_THROWS_AS(times_of_csv(bad.text, "t.csv", ""), ScenarioError);
    CHECK_THROWS_WITH(times_of_csv(bad.text, "t.csv", ""), Catch::Contains(bad.says));
    if (bad.says.find(':') != std::string::npos)
      CHECK_THROWS_WITH(times_of_csv(bad.text, "t.csv", ""),
                        Catch::Contains("allowed: a number from 0 to one day"));
  }
}

struct Folder {
  Folder() : path(test::make_scratch_folder("replay")) {}
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path + "/" + name) << text;
    return path + "/" + name;
  }
  std::string path;
};

TEST_CASE("replay times: a file that is not there, or too large, is the scenario's fault",
          "[unit][app]") {
  const Folder folder;
  CHECK_THROWS_AS(read_replay_times(folder.path + "/none.csv", "", Replayed::batches),
                  ScenarioError);
  const std::string large = folder.file("large.csv", "1\n");
  std::filesystem::resize_file(large, (1ull << 28) + 1);
  CHECK_THROWS_WITH(read_replay_times(large, "", Replayed::batches), Catch::Contains("too large"));
  // A folder, but of no run.
  CHECK_THROWS_AS(read_replay_times(folder.path, "", Replayed::batches), ScenarioError);
}

TEST_CASE("replay times: of a stored run the base point's waits for batches, or its steps",
          "[unit][app]") {
  const Folder folder;
  const std::string run = folder.path + "/run";
  const auto record = [](Mode mode, Status status, const std::string& extra, std::uint32_t point,
                         std::int64_t time) {
    TrialRecord r;
    r.trial.mode = mode;
    r.trial.ablation = Ablation::parse(extra).value();
    r.trial.points = {point};
    r.status = status;
    r.raw_series["get_blocked"] = {time, time + 1};
    r.raw_series["step"] = {time + 2, time + 3};
    return r;
  };
  {
    Plan plan;
    plan.trials.resize(1);
    plan.points.resize(2);
    plan.points[1].index = 1;
    RunFolder store = RunFolder::create(run, plan, Environment{});
    for (TrialRecord r : {record(Mode::loader, Status::failed, "", 0, 100),
                          record(Mode::loader, Status::valid, "workers:1", 0, 200),
                          record(Mode::loader, Status::valid, "", 1, 300),
                          record(Mode::trainer, Status::noisy, "", 0, 400),
                          record(Mode::loader, Status::noisy, "", 0, 500),
                          record(Mode::loader, Status::valid, "", 0, 600)})
      store.append(r);
  }
  CHECK(read_replay_times(run, "", Replayed::batches) == Times{500, 501});
  CHECK(read_replay_times(run, "", Replayed::steps) == Times{402, 403});
}

TEST_CASE("replay times: what was sealed is noticed to have changed", "[unit][app]") {
  const Folder folder;
  const std::string path = folder.file("t.csv", "1\n");
  SettingsMap settings;
  settings.set("trainer.times", {ParameterType::text, path});
  ReplayTimes().seal(settings);
  REQUIRE(settings.has("trainer.times_digest"));
  CHECK(ReplayTimes().of(settings, Replayed::steps) == Times{1'000'000'000});
  CHECK(ReplayTimes().of(settings, Replayed::batches).empty());
  CHECK_NOTHROW(ReplayTimes().check_seal(settings));
  folder.file("t.csv", "1.0\n");  // the same times, written otherwise
  CHECK_NOTHROW(ReplayTimes().check_seal(settings));
  folder.file("t.csv", "2\n");
  CHECK_THROWS_WITH(ReplayTimes().check_seal(settings),
                    Catch::Contains("has changed since the run was planned"));
}

TEST_CASE(
    "replay times: those of a loader that only makes the trainer's batch, "
    "or runs beside it, are found",
    "[unit][app]") {
  const Folder folder;
  const std::string path = folder.file("t.csv", "3\n");
  for (const char* key : {"loader.of.times", "beside.loader.times"}) {
    SettingsMap settings;
    settings.set(key, {ParameterType::text, path});
    CHECK(ReplayTimes().of(settings, Replayed::batches) == Times{3'000'000'000});
  }
}

}  // namespace replay_times_test
}  // namespace benchbench
