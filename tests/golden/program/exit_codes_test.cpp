// Each exit code of `run` by a run that ends with it. --set trainer.device=cuda:7 is a device that
// no machine here has.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace exit_codes_test {

using Catch::Matchers::Contains;

int code_of(const std::vector<std::string>& more, const std::string& extra = "") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario(extra));
  std::vector<std::string> arguments{"run", "tiny.yaml", "--clock", "simulated"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ran ran = run_program(s, arguments);
  UNSCOPED_INFO(ran.err << ran.out);
  return ran.code;
}

const std::vector<std::string> kAbsent{"--set", "trainer.device=cuda:7"};

std::vector<std::string> strict(std::vector<std::string> arguments) {
  arguments.emplace_back("--strict");
  return arguments;
}

TEST_CASE("exit codes: done is 0, strict or not", "[golden][app]") {
  CHECK(code_of({}) == 0);
  CHECK(code_of(strict({})) == 0);
}

TEST_CASE("exit codes: hardware that the base point lacks is 8, and 6 under --strict",
          "[golden][app]") {
  CHECK(code_of(kAbsent) == 8);
  CHECK(code_of(strict(kAbsent)) == 6);
}

TEST_CASE("exit codes: hardware that another point lacks is 0, and 6 under --strict",
          "[golden][app]") {
  const std::string sweep = "sweep: {trainer.device: [cpu, \"cuda:7\"]}\n";
  CHECK(code_of({}, sweep) == 0);
  CHECK(code_of(strict({}), sweep) == 6);
}

TEST_CASE("exit codes: a failed trial is 1, strict or not", "[golden][app]") {
  const std::string faulty = "{use: faulty, fault: throw, after: 3}";
  CHECK(code_of({}, "sweep: {loader: [{use: synthetic}, " + faulty + "]}\n") == 1);
  CHECK(code_of(strict({}), "sweep: {loader: [{use: synthetic}, " + faulty + "]}\n") == 1);
}

// A warm-up that ends before it is steady is R06, NOISY.
TEST_CASE("exit codes: doubts are 0, and 9 under --strict", "[golden][app]") {
  CHECK(code_of({"--set", "measure.warmup_cap=0s"}) == 0);
  CHECK(code_of(strict({"--set", "measure.warmup_cap=0s"})) == 9);
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

TEST_CASE("exit codes: report gives the run's again", "[golden][app]") {
  Scratch s;
  s.write("tiny.yaml", tiny_scenario());
  CHECK(run_program(s, {"run", "tiny.yaml", "--clock", "simulated", "--set",
                        "trainer.device=cuda:7", "--out", "r"})
            .code == 8);
  CHECK(run_program(s, {"report", "r"}).code == 8);
  CHECK(run_program(s, {"report", "r", "--strict"}).code == 6);
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
