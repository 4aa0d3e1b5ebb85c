// `benchbench micro` as a user types it: Google Benchmark's own flags, its JSON, its own compare
// script.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "tests/golden/program/program.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace micro_program {

using Catch::Matchers::Contains;
using nlohmann::json;

// As the build was configured: a program that cannot run its benchmarks is no reason to skip them.
constexpr bool kBuilt = BENCHBENCH_HAS_MICRO;
constexpr const char* kNotBuilt = "built without Google Benchmark";

TEST_CASE("micro: lists its benchmarks, and says so where it was built without", "[golden][app]") {
  Scratch s;
  const Ran r = run_program(s, {"micro", "--benchmark_list_tests=true"});
  INFO(r.err);
  if (kBuilt) {
    CHECK(r.code == 0);
    CHECK_THAT("\n" + r.out, Contains("\nclock_read\n"));
  } else {
    CHECK(r.code == 2);
    CHECK_THAT(r.err,
               Contains("this build has no microbenchmarks") && Contains("libbenchmark-dev"));
  }
}

// An environment variable, for the programs run while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* found = std::getenv(name)) before_ = found;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST_CASE("micro: a benchmark without a folder for temporary files is left out with the reason",
          "[golden][app]") {
  Scratch s;
  if (!kBuilt) BENCHBENCH_SKIP(kNotBuilt);
  const Variable temporary("TMPDIR", s.path("none"));
  const Ran r = run_program(s, {"micro", "start_up/first_batch", "--benchmark_format=json"});
  INFO(r.err);
  REQUIRE(r.code == 0);
  const json row = json::parse(r.out)["benchmarks"][0];
  CHECK(row["error_occurred"] == true);
  CHECK_THAT(row["error_message"].get<std::string>(), Contains(s.path("none")));
}

TEST_CASE("micro: flags of Google Benchmark are taken as they are", "[golden][app]") {
  Scratch s;
  if (!kBuilt) BENCHBENCH_SKIP(kNotBuilt);
  const Ran r = run_program(s, {"micro", "clock_read", "--benchmark_format=json",
                                "--benchmark_repetitions=2", "--benchmark_min_time=0.001"});
  REQUIRE(r.code == 0);
  const json out = json::parse(r.out);
  CHECK(out["benchmarks"].size() == 2 + 4);  // two runs; mean, median, stddev, cv
  CHECK(out["benchmarks"][0]["name"] == "clock_read");
  CHECK(out["benchmarks"][0]["real_time"].get<double>() > 0);
  const Ran filtered =
      run_program(s, {"micro", "--benchmark_filter=^clock_read$",
                      "--benchmark_out=" + s.path("o.json"), "--benchmark_min_time=0.001"});
  CHECK(filtered.code == 0);
  CHECK(json::parse(read_file(s.path("o.json")))["benchmarks"].size() == 1);
}

TEST_CASE("micro: what nobody knows is refused, exit 2", "[golden][app]") {
  Scratch s;
  if (!kBuilt) BENCHBENCH_SKIP(kNotBuilt);
  for (const char* word :
       {"--benchmark_fliter=x", "--benchmark_format=yaml", "--bench", "no_such_benchmark"}) {
    INFO(word);
    CHECK(run_program(s, {"micro", word}).code == 2);
  }
}

TEST_CASE("micro: every row of the catalogue has a benchmark of its own", "[golden][app]") {
  Scratch s;
  if (!kBuilt) BENCHBENCH_SKIP(kNotBuilt);
  const Ran listed = run_program(s, {"micro", "--benchmark_list_tests=true"});
  REQUIRE(listed.code == 0);
  const std::map<std::string, std::string> begins = {{"loaders", "loader/"},
                                                     {"trainers", "trainer/"},
                                                     {"formats", "read/"},
                                                     {"sampling", "sampler/"}};
  std::istringstream lines(run_program(s, {"describe"}).out);
  std::string begin;  // of the section's benchmarks; empty where it has none
  std::size_t seen = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, kind;
    words >> name >> kind;
    if (!line.starts_with(' ') && !name.empty()) {
      begin = begins.contains(name) ? begins.at(name) : "";
    } else if (!begin.empty() && (kind == "real" || kind == "mock")) {
      ++seen;
      CHECK_THAT("\n" + listed.out, Contains("\n" + begin + name));
    }
  }
  CHECK(seen > 10);
}

TEST_CASE("micro: a data set is made for the benchmarks that run, and is gone after them",
          "[golden][app]") {
  Scratch s;
  if (!kBuilt) BENCHBENCH_SKIP(kNotBuilt);
  std::filesystem::create_directory(s.path("tmp"));
  Ran r;
  {
    const Variable temporary("TMPDIR", s.path("tmp"));
    r = run_program(
        s, {"micro", "^(read|open)/tar/", "--benchmark_format=json", "--benchmark_min_time=0.001"});
  }
  INFO(r.err);
  REQUIRE(r.code == 0);
  std::size_t opened = 0, read = 0;
  const json out = json::parse(r.out);
  for (const json& row : out.at("benchmarks")) {
    INFO(row.dump());
    if (row.value("error_occurred", false)) continue;  // what tar cannot hold
    CHECK(row["items_per_second"].get<double>() > 0);
    const std::string name = row["name"];
    opened += name.starts_with("open/tar/image");
    read += name.starts_with("read/tar/image");
  }
  CHECK(opened >= 1);
  CHECK(read >= 1);
  CHECK(std::filesystem::is_empty(s.path("tmp")));
}

TEST_CASE("micro: Google Benchmark's compare script reads its JSON", "[golden][app]") {
  Scratch s;
  if (!kBuilt) BENCHBENCH_SKIP(kNotBuilt);
  const std::string script = "/usr/share/benchmark/compare.py";
  if (!std::filesystem::exists(script)) BENCHBENCH_SKIP("libbenchmark-tools is not installed");
  const std::string python = python_with_scipy();
  if (python.empty()) BENCHBENCH_SKIP("python3-scipy is not installed");
  const std::string file = s.path("a.json");
  REQUIRE(
      run_program(s, {"micro", "clock_read|^read/image_folder/image/", "--benchmark_min_time=0.001",
                      "--benchmark_out=" + file, "--benchmark_out_format=json"})
          .code == 0);
  const std::string command = python + " " + script + " benchmarks " + file + " " + file + " > " +
                              s.path("compared") + " 2>&1";
  const int code = std::system(command.c_str());
  const std::string said = read_file(s.path("compared"));
  INFO(said);
  CHECK(code == 0);
  CHECK_THAT(said, Contains("clock_read"));
  CHECK_THAT(said, Contains("read/image_folder/image/sequential"));
}

}  // namespace micro_program
}  // namespace benchbench::test
