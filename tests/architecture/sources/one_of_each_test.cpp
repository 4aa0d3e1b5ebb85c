// Things that stand once: a second copy of each of these has been written before, and drifted.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace one_of_each_test {

using Paths = std::vector<std::string>;

// Returns the sources of the product whose code has the pattern. `word`: a part of each match.
Paths paths_with(const char* word, const char* pattern) {
  const std::regex wanted(pattern);
  Paths paths;
  for (const SourceFile& file : sources_under({"harness", "scenarios", "mocks"}))
    if (has_one_of(file.code, {word}) && std::regex_search(file.code, wanted))
      paths.push_back(file.path);
  return paths;
}

// Returns those with a literal that erases a line of the terminal.
Paths paths_that_erase_lines() {
  Paths paths;
  for (const SourceFile& file : sources_under({"harness", "scenarios", "mocks"}))
    if (std::ranges::any_of(literals_of(file), [](const Literal& literal) {
          return has_one_of(literal.text, {"x1b[K", "x1B[K", "033[K", "e[K"});
        }))
      paths.push_back(file.path);
  return paths;
}

TEST_CASE("one of each: trials are heard by one sink, whatever the command", "[architecture]") {
  CHECK(paths_with("TrialSink", R"(:\s*(public|private|protected)?\s*TrialSink\b)") ==
        Paths{"harness/app/session/session.h"});
}

TEST_CASE("one of each: the supervisor's options are filled in one place", "[architecture]") {
  CHECK(paths_with("SupervisorOptions", R"(\bSupervisorOptions\b(?!\s*&))") ==
        Paths{"harness/app/session/session.cpp", "harness/app/session/session.h",
              "harness/process/supervisor.h"});
}

TEST_CASE("one of each: a run's folder is opened, and a record judged for it, in one place",
          "[architecture]") {
  CHECK(paths_with("RunFolder", R"(\bRunFolder::(create|resume)\s*\()") ==
        Paths{"harness/app/session/opened_run.cpp", "harness/store/run_folder.cpp"});
  CHECK(paths_with("judge", R"(\bstatus\s*=\s*judge)") == Paths{"harness/app/session/session.cpp"});
}

TEST_CASE("one of each: a record is appended by the session, whoever measured it",
          "[architecture]") {
  CHECK(paths_with("append", R"(\b(folder|run)_?(\.|->)append\s*\(\s*record)") ==
        Paths{"harness/app/session/session.cpp"});
}

TEST_CASE("one of each: a scenario is drafted, and the user's code looked at, in one place",
          "[architecture]") {
  CHECK(paths_with("draft_plan", R"(\bdraft_plan\s*\()") ==
        Paths{"harness/app/preparation/prepared_plan.cpp", "harness/plan/planner.cpp",
              "harness/plan/planner.h"});
  CHECK(paths_with("look_at_code", R"(\blook_at_code\s*=\s*\[)") ==
        Paths{"harness/app/preparation/prepared_plan.cpp", "harness/app/wrap/wrap_plan.cpp"});
}

TEST_CASE("one of each: the line that is drawn over and over has one drawer", "[architecture]") {
  CHECK(paths_that_erase_lines() == Paths{"harness/app/status_line.cpp"});
}

}  // namespace one_of_each_test
}  // namespace benchbench::architecture
