// Outputs for other programs, from the program itself: what they hold is in tests/unit/report and
// tests/golden/foreign.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/golden/program/program.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace outputs_program {

namespace fs = std::filesystem;
using Catch::Contains;

TEST_CASE("outputs: Google Benchmark's compare script reads --gbench", "[golden][app]") {
  const Scratch s;
  const std::string script = "/usr/share/benchmark/compare.py";
  if (!fs::exists(script)) BENCHBENCH_SKIP("libbenchmark-tools is not installed");
  const std::string python = python_with_scipy();
  if (python.empty()) BENCHBENCH_SKIP("python3-scipy is not installed");
  REQUIRE(copy_tiny_run(s).code == 0);
  REQUIRE(run_program(s, {"report", "r", "--gbench", "a.json"}).code == 0);
  REQUIRE(run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--set",
                          "loader.batch_time=3ms", "--gbench", "b.json"})
              .code == 0);
  const std::string command = python + " " + script + " --no-color benchmarks " + s.path("a.json") +
                              " " + s.path("b.json") + " > " + s.path("compared") + " 2>&1";
  const int code = std::system(command.c_str());
  const std::string said = read_file(s.path("compared"));
  INFO(said);
  CHECK(code == 0);
  CHECK_THAT(said, Contains("tiny/base/loader"));
  CHECK_THAT(said, Contains("+0.5000"));  // 2 ms a batch, then 3 ms
  CHECK_THAT(said, Contains("tiny/base/pipeline_pvalue"));
}

TEST_CASE("outputs: a stored run gives the same bytes again, in any locale and time zone",
          "[golden][app]") {
  const Scratch s;
  const std::string file = s.write("tiny.yaml", tiny_scenario());
  REQUIRE(
      run_program(s, {"run", file, "--clock", "simulated", "--out", "r", "--junit", s.path("1.xml"),
                      "--gbench", s.path("1.json"), "--prometheus", s.path("1.prom")})
          .code == 0);
  ::setenv("TZ", "Asia/Kathmandu", 1);
  ::setenv("LC_ALL", "de_DE.UTF-8", 1);
  const Ran again = run_program(s, {"report", "r", "--junit", s.path("2.xml"), "--gbench",
                                    s.path("2.json"), "--prometheus", s.path("2.prom")});
  ::unsetenv("TZ");
  ::unsetenv("LC_ALL");
  REQUIRE(again.code == 0);
  for (const std::string name : {".xml", ".json", ".prom"}) {
    INFO(name);
    CHECK(!read_file(s.path("1" + name)).empty());
    CHECK(read_file(s.path("1" + name)) == read_file(s.path("2" + name)));
  }
}

TEST_CASE("outputs: --prometheus replaces its file whole, and leaves nothing beside it",
          "[golden][app]") {
  const Scratch s;
  REQUIRE(copy_tiny_run(s).code == 0);
  const std::string old = s.write("kept.prom", "old\n");
  // A process that had the file open still has all of the old one.
  fs::create_hard_link(old, s.path("held.prom"));
  fs::create_symlink("kept.prom", s.path("link.prom"));
  REQUIRE(run_program(s, {"report", "r", "--prometheus", s.path("link.prom")}).code == 0);
  CHECK(read_file(s.path("held.prom")) == "old\n");
  CHECK_THAT(read_file(old), Contains("benchbench_run_info{"));
  CHECK(fs::is_symlink(s.path("link.prom")));
  for (const auto& entry : fs::directory_iterator(s.path()))
    CHECK(entry.path().extension() != ".part");
  CHECK_THAT(run_program(s, {"report", "r", "--prometheus", "-"}).out,
             Contains("benchbench_run_info{"));
  const Ran refused =
      run_program(s, {"report", "r", "--prometheus", s.path("no/such/folder.prom")});
  CHECK(refused.code == 5);
  CHECK_THAT(refused.err, Contains("could not be written"));
}

TEST_CASE(
    "outputs: one that would be written over a file of a "
    "run or the scenario is refused before anything runs",
    "[golden][app]") {
  const Scratch s;
  REQUIRE(copy_tiny_run(s).code == 0);
  const std::string file = s.path("tiny.yaml"), text = read_file(file);
  fs::create_directory_symlink("r", s.path("link"));
  fs::create_hard_link(s.path("r/plan.json"), s.path("hard.json"));
  std::map<std::string, std::string> stored;
  for (const auto& entry : fs::recursive_directory_iterator(s.path("r")))
    if (entry.is_regular_file()) stored[entry.path().string()] = read_file(entry.path().string());
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const Ran r = run_program(s, arguments);
    INFO(arguments[0] << ": " << why << "\n" << r.err);
    CHECK(r.code == 2);
    CHECK_THAT(on_one_line(r.err), Contains(why));
    for (const auto& [path, bytes] : stored) CHECK(read_file(path) == bytes);
    CHECK(read_file(file) == text);
    CHECK_FALSE(fs::exists(s.path("new")));
  };
  for (const std::string name : {"journal.jsonl", "plan.json", "environment.json", "lock",
                                 "results.h5", "series/0-step.bin", "search/asked.json"}) {
    refused({"report", "r", "--json", "r/" + name}, "--json r/" + name + " is a file of the run");
    refused({"compare", "r", "r", "--html", "link/" + name},
            "--html link/" + name + " is a file of the run");
  }
  refused({"report", "r", "--prometheus", "hard.json"},
          "--prometheus hard.json is a file of the run");
  refused({"run", "tiny.yaml", "--out", "new", "--json", "new/journal.jsonl"},
          "--json new/journal.jsonl is a file of the run");
  refused({"run", "tiny.yaml", "--out", "new/", "--csv", "./new/results.h5"},
          "--csv ./new/results.h5 is a file of the run");
  refused({"run", "tiny.yaml", "--out", "new", "--trace", "r/journal.jsonl"},
          "--trace r/journal.jsonl is a file of the run");
  refused({"run", "tiny.yaml", "--out", "new", "--html", "./tiny.yaml"},
          "--html ./tiny.yaml is the scenario");
  refused({"require", "tiny.yaml", "--out", "new", "--json", "tiny.yaml"},
          "--json tiny.yaml is the scenario");
  refused({"tune", "tiny.yaml", "--out", "new", "--json", "r/lock"},
          "--json r/lock is a file of the run");
  refused({"compare", "tiny.yaml", "--interleave", "--out", "new", "--json", "new/a/plan.json"},
          "--json new/a/plan.json is a file of the run");
  refused({"history", "r", "--json", "r/plan.json"}, "--json r/plan.json is a file of the run");
  // Other names there, and these names elsewhere, are the user's.
  CHECK(run_program(s, {"report", "r", "--html", "r/report.html", "--json", "r/report.json",
                        "--csv", "plan.json"})
            .code == 0);
  CHECK(run_program(s, {"report", "r", "--csv", "plan.json"}).code == 0);
}

TEST_CASE("outputs: two into one file are refused, however it is named", "[golden][app]") {
  const Scratch s;
  REQUIRE(copy_tiny_run(s).code == 0);
  const Ran twice = run_program(s, {"report", "r", "--html", "./s", "--json", "s"});
  CHECK(twice.code == 2);
  CHECK_THAT(twice.err, Contains("--json and --html both name s\n"));
  CHECK_FALSE(fs::exists(s.path("s")));
  s.write("there", "old\n");
  fs::create_symlink("there", s.path("link"));
  const Ran linked = run_program(s, {"compare", "r", "r", "--json", "link", "--html", "there"});
  CHECK(linked.code == 2);
  CHECK_THAT(linked.err, Contains("--json and --html both name link\n"));
  CHECK(read_file(s.path("there")) == "old\n");
  CHECK(run_program(s, {"report", "r", "--json", "/dev/null", "--csv", "/dev/null"}).code == 0);
}

TEST_CASE("outputs: one that cannot be written says why", "[golden][app]") {
  const Scratch s;
  REQUIRE(copy_tiny_run(s).code == 0);
  fs::create_directory(s.path("folder"));
  s.write("file", "");
  for (const std::string option : {"--json", "--csv", "--html", "--prometheus"})
    for (const auto& [path, why] :
         {std::pair{"/dev/full", "/dev/full could not be written: No space left on device"},
          std::pair{"folder", "folder could not be written: Is a directory"},
          std::pair{"no/x", "could not be written: No such file or directory"},
          std::pair{"file/x", "could not be written: Not a directory"}}) {
      const Ran r = run_program(s, {"report", "r", option, path});
      INFO(option << ' ' << path << ": " << r.err);
      CHECK(r.code == 5);
      CHECK_THAT(on_one_line(r.err), Contains(why));
    }
  const Ran trace = run_program(s, {"run", "tiny.yaml", "--trace", "folder", "--out", "new"});
  CHECK(trace.code == 5);
  CHECK_THAT(trace.err, Contains("folder could not be written: Is a directory"));
}

TEST_CASE(
    "outputs: an alarm's limit is a key of the scenario, "
    "with the nearest spelling of one that is none",
    "[golden][app]") {
  const Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const auto alarm_of = [&](const std::string& limit) {
    const Ran ran =
        run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--rounds", "1", "--isolation",
                        "none", "--set", "measure.alarms.exposed_wait=" + limit, "--json", "-"});
    REQUIRE(ran.code == 0);
    const auto report = nlohmann::json::parse(ran.out);
    for (const auto& alarm : report["alarms"])
      if (alarm["alarm"] == "exposed_wait") return alarm["state"].get<std::string>();
    return std::string();
  };
  // The trainer of 1 ms waits half of its 2 ms.
  CHECK(alarm_of("0.4") == "raised");
  CHECK(alarm_of("0.6") == "not raised");
  const Ran wrong =
      run_program(s, {"validate", s.write("wrong.yaml", tiny_scenario("alarms: {}\n"))});
  CHECK(wrong.code == 2);
  const Ran misspelt =
      run_program(s, {"run", s.path("tiny.yaml"), "--set", "measure.alarms.exposed_wiat=0.1"});
  CHECK(misspelt.code == 2);
  CHECK_THAT(misspelt.err, Contains("exposed_wait"));
  CHECK(run_program(s, {"run", s.path("tiny.yaml"), "--set", "measure.alarms.memory=90%"}).code ==
        2);
  CHECK_THAT(run_program(s, {"describe", "alarms"}).out, Contains("exposed_wait"));
}

}  // namespace outputs_program
}  // namespace benchbench::test
