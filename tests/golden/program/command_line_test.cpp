#include <catch2/catch.hpp>

#include "tests/golden/program/program.h"

namespace benchbench::test {
namespace command_line {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("command line: help goes to standard output, exit 0; no command shows it as an error", "[golden][app]") {
  Scratch s;
  for (const char* word : {"--help", "-h", "help"}) {
    const Ran r = run_program(s, {word});
    CHECK(r.code == 0);
    CHECK_THAT(r.out, Contains("Usage: benchbench COMMAND"));
    CHECK(r.err.empty());
  }
  const Ran none = run_program(s, {});
  CHECK(none.code == 2);
  CHECK(none.out.empty());
}

TEST_CASE("command line: each command's help fits a screen and has three examples", "[golden][app]") {
  Scratch s;
  for (const char* c : {"run", "plan", "validate", "datagen", "report", "export", "list", "describe", "doctor", "version", "micro"}) {
    INFO(c);
    const Ran r = run_program(s, {c, "-h"});
    CHECK(r.code == 0);
    CHECK(std::count(r.out.begin(), r.out.end(), '\n') <= 40);
    const std::string examples = r.out.substr(r.out.find("\nExamples\n") + 10);
    CHECK(std::count(examples.begin(), examples.end(), '\n') == 3);
  }
}

TEST_CASE("command line: a misspelt command or option names the nearest, exit 2", "[golden][app]") {
  Scratch s;
  const Ran command = run_program(s, {"rnu", "x.yaml"});
  CHECK(command.code == 2);
  CHECK_THAT(command.err, Contains("unknown command 'rnu'; did you mean 'run'?"));
  const Ran option = run_program(s, {"run", "x.yaml", "--stric"});
  CHECK(option.code == 2);
  CHECK_THAT(option.err, Contains("unexpected '--stric'; did you mean '--strict'?"));
  const Ran with_value = run_program(s, {"run", "x.yaml", "--swep", "loader.num_workers=0,1"});
  CHECK(with_value.code == 2);
  CHECK_THAT(with_value.err, Contains("unexpected '--swep'; did you mean '--sweep'?"));
  const Ran missing = run_program(s, {"run"});
  CHECK(missing.code == 2);
  CHECK_THAT(missing.err, Contains("FILE is missing"));
}

TEST_CASE("command line: version says what was built", "[golden][app]") {
  Scratch s;
  CHECK_THAT(run_program(s, {"version"}).out, StartsWith("benchbench "));
  CHECK_THAT(run_program(s, {"--version"}).out, StartsWith("benchbench "));
}

TEST_CASE("command line: a missing scenario file is one clear error, exit 2", "[golden][app]") {
  Scratch s;
  const Ran r = run_program(s, {"run", "nowhere.yaml"});
  CHECK(r.code == 2);
  CHECK_THAT(r.err, Contains("nowhere.yaml"));
}

}  // namespace command_line
}  // namespace benchbench::test
