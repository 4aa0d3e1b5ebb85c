#include "harness/core/called_as.h"

#include <catch2/catch.hpp>
#include <cstdlib>

namespace benchbench::called_as_test {

// Forgets the call, and the variable that it leaves to children.
struct Call {
  explicit Call(const char* argv0, const char* variable = nullptr) {
    variable ? ::setenv("BENCHBENCH_CALLED_AS", variable, 1) : ::unsetenv("BENCHBENCH_CALLED_AS");
    note_call(argv0, {"run", "plan"});
  }
  ~Call() {
    ::unsetenv("BENCHBENCH_CALLED_AS");
    note_call(nullptr, {});
  }
};

TEST_CASE("called as: commands are named as the program was called, other words stay",
          "[unit][core]") {
  const Call call("../bin/bb");
  CHECK(as_called("benchbench run x.yaml") == "../bin/bb run x.yaml");
  CHECK(as_called("try `benchbench plan x` or (benchbench run y)") ==
        "try `../bin/bb plan x` or (../bin/bb run y)");
  CHECK(as_called("benchbench COMMAND") == "../bin/bb COMMAND");
  for (const char* text :
       {"benchbench is a program", "scripts/benchbench run x", "my-benchbench run",
        "benchbench runs", "benchbench", "benchbench ", "", "benchbench describe x"})
    CHECK(as_called(text) == text);
}

TEST_CASE("called as: the variable goes before argv[0], and is left for children", "[unit][core]") {
  {
    const Call call("/build/bin/benchbench", "scripts/benchbench");
    CHECK(as_called("benchbench run") == "scripts/benchbench run");
    CHECK(std::string(std::getenv("BENCHBENCH_CALLED_AS")) == "scripts/benchbench");
  }
  {
    const Call call("/build/bin/benchbench", "");
    CHECK(as_called("benchbench run") == "/build/bin/benchbench run");
    CHECK(std::string(std::getenv("BENCHBENCH_CALLED_AS")) == "/build/bin/benchbench");
  }
  const Call plain("benchbench");
  CHECK(as_called("benchbench run") == "benchbench run");
  CHECK(std::string(std::getenv("BENCHBENCH_CALLED_AS")) == "benchbench");
}

TEST_CASE("called as: a name that a shell would take apart is quoted", "[unit][core]") {
  const Call call("my tools/it's");
  CHECK(as_called("benchbench run") == "'my tools/it'\\''s' run");
}

TEST_CASE("called as: where no call was noted, nothing changes", "[unit][core]") {
  ::unsetenv("BENCHBENCH_CALLED_AS");
  note_call(nullptr, {"run"});
  CHECK(as_called("benchbench run x") == "benchbench run x");
}

}  // namespace benchbench::called_as_test
