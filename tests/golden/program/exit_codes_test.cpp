// Each exit code of `run` by a run that ends with it. --set trainer.device=cuda:7 is a device that
// no machine here has.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace exit_codes_test {

using Catch::Matchers::Contains;

Ran run_with(const Scratch& s, const std::vector<std::string>& more,
             const std::string& extra = "") {
  s.write("tiny.yaml", tiny_scenario(extra));
  std::vector<std::string> arguments{"run", "tiny.yaml", "--clock", "simulated", "--out", "r"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Ran ran = run_program(s, arguments);
  UNSCOPED_INFO(ran.err << ran.out);
  return ran;
}

int code_of(const std::vector<std::string>& more) { return run_with(Scratch(), more).code; }

// Exit codes of a run, and of its report under --strict.
using Codes = std::pair<int, int>;
Codes codes_of(const std::vector<std::string>& more, const std::string& extra = "") {
  const Scratch s;
  const int code = run_with(s, more, extra).code;
  CHECK(run_program(s, {"report", "r"}).code == code);
  return {code, run_program(s, {"report", "r", "--strict"}).code};
}

const std::vector<std::string> kAbsent{"--set", "trainer.device=cuda:7"},
    kUnsteady{"--set", "measure.warmup_cap=0s"};

TEST_CASE("exit codes: done is 0, strict or not", "[golden][app]") {
  CHECK(codes_of({}) == Codes{0, 0});
}

TEST_CASE("exit codes: hardware that the base point lacks is 8, and 6 under --strict",
          "[golden][app]") {
  CHECK(codes_of(kAbsent) == Codes{8, 6});
}

TEST_CASE("exit codes: hardware that another point lacks is 0, and 6 under --strict",
          "[golden][app]") {
  CHECK(codes_of({}, "sweep: {trainer.device: [cpu, \"cuda:7\"]}\n") == Codes{0, 6});
}

TEST_CASE("exit codes: a failed trial is 1, strict or not", "[golden][app]") {
  CHECK(codes_of({},
                 "sweep: {loader: [{use: synthetic}, {use: faulty, fault: throw, after: 3}]}\n") ==
        Codes{1, 1});
}

// A warm-up that ends before it is steady is R06, NOISY.
TEST_CASE("exit codes: doubts are 0, and 9 under --strict", "[golden][app]") {
  CHECK(codes_of(kUnsteady) == Codes{0, 9});
}

TEST_CASE("exit codes: run --strict gives what its report gives", "[golden][app]") {
  const auto strict = [](std::vector<std::string> words) {
    words.emplace_back("--strict");
    return code_of(words);
  };
  CHECK(strict({}) == 0);
  CHECK(strict(kAbsent) == 6);
  CHECK(strict(kUnsteady) == 9);
}

TEST_CASE("exit codes: a misspelt key is 2, an output that cannot be written 5", "[golden][app]") {
  CHECK(code_of({"--set", "loader.batch=3"}) == 2);
  CHECK(code_of({"--json", "/dev/full", "--set", "trainer.device=cuda:7", "--strict"}) == 5);
}

TEST_CASE("exit codes: a window that the timeout would end is 2, and nothing runs",
          "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  const Ran ran = run_program(s, {"run", "tiny.yaml", "--set", "measure.window=10s", "--set",
                                  "measure.timeout=1s", "--out", "r"});
  CHECK(ran.code == 2);
  CHECK_THAT(on_one_line(ran.err), Contains("measure.window is 10s, but measure.timeout is 1s"));
  CHECK_FALSE(std::filesystem::exists(s.path("r")));
}

TEST_CASE("exit codes: describe explains each", "[golden][app]") {
  Scratch s;
  for (const std::string code : {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "130", "143"})
    CHECK(run_program(s, {"describe", code}).code == 0);
  // docs/faults.md sends its reader there.
  const Ran all = run_program(s, {"describe", "exit code"});
  CHECK(all.code == 0);
  CHECK_THAT(all.out, Contains("\n5 (exit code)\n") && Contains("\n8 (exit code)\n"));
}

}  // namespace exit_codes_test
}  // namespace benchbench::test
