#include "scenarios/python/interpreter.h"

#include <catch2/catch.hpp>
#include <optional>

#include "tests/unit/python/given_settings.h"
#include "tests/unit/python/script_folder.h"
#include "tests/variable.h"

namespace benchbench::python_part {
namespace interpreter_test {

using test::GivenSettings;
using test::Variable;

struct Place {
  test::ScriptFolder folder;
  Place() { std::filesystem::create_directories(folder.path() + "/bin"); }
  std::string executable(const std::string& name) const {
    const std::string file = folder.write(name, "#!/bin/sh\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
};

TEST_CASE("interpreter: python of the loader or the trainer comes first", "[unit][python]") {
  const Place place;
  const std::string mine = place.executable("mine");
  const Variable environment("VIRTUAL_ENV", place.folder.path());
  place.executable("bin/python");
  const GivenSettings with{{"python", mine}}, without{{"call", "f"}};
  CHECK(interpreter_for(&with, nullptr) == mine);
  CHECK(interpreter_for(&without, &with) == mine);
  CHECK(interpreter_for(&with, &without) == mine);
  CHECK(interpreter_for(&with, &with) == mine);
}

TEST_CASE("interpreter: two of them are refused", "[unit][python]") {
  const Place place;
  const GivenSettings one{{"python", place.executable("one")}},
      other{{"python", place.executable("other")}};
  CHECK_THROWS_AS(interpreter_for(&one, &other), ScenarioError);
  CHECK_THROWS_WITH(interpreter_for(&one, &other),
                    Catch::Contains("/one' and trainer.python is '"));
}

TEST_CASE("interpreter: then that of VIRTUAL_ENV, then python3 of PATH", "[unit][python]") {
  const Place place;
  const Variable path("PATH", "/nowhere:" + place.folder.path());
  const std::string of_path = place.executable("python3");
  const GivenSettings without{{"call", "f"}};
  {
    const Variable none("VIRTUAL_ENV", std::nullopt);
    CHECK(interpreter_for(&without, nullptr) == of_path);
  }
  const Variable environment("VIRTUAL_ENV", place.folder.path());
  CHECK(interpreter_for(&without, nullptr) == of_path);  // it has no python yet
  const std::string of_environment = place.executable("bin/python");
  CHECK(interpreter_for(&without, nullptr) == of_environment);
}

TEST_CASE("interpreter: a bare name is searched in PATH", "[unit][python]") {
  const Place place;
  const Variable path("PATH", place.folder.path());
  const std::string file = place.executable("python9");
  const GivenSettings named{{"python", "python9"}}, absent{{"python", "python8"}};
  CHECK(interpreter_for(&named, nullptr) == file);
  CHECK_THROWS_WITH(interpreter_for(&absent, nullptr),
                    "the Python interpreter 'python8' is in no folder of PATH");
}

TEST_CASE("interpreter: what cannot be executed is refused with what was tried", "[unit][python]") {
  const Place place;
  const GivenSettings absent{{"python", place.folder.path() + "/absent"}},
      plain{{"python", place.folder.write("plain", "")}}, folder{{"python", place.folder.path()}},
      none{{"call", "f"}};
  CHECK_THROWS_WITH(interpreter_for(&absent, nullptr), Catch::Contains("/absent' does not exist"));
  CHECK_THROWS_WITH(interpreter_for(&plain, nullptr),
                    Catch::Contains("/plain' is not an executable file"));
  CHECK_THROWS_WITH(interpreter_for(nullptr, &folder),
                    Catch::Contains("is not an executable file"));
  const Variable path("PATH", "/nowhere"), environment("VIRTUAL_ENV", "/an/environment");
  CHECK_THROWS_AS(interpreter_for(&none, nullptr), ScenarioError);
  CHECK_THROWS_WITH(interpreter_for(&none, nullptr),
                    "no Python interpreter: /an/environment/bin/python "
                    "(of VIRTUAL_ENV) cannot be executed, and no folder of PATH has python3");
}

}  // namespace interpreter_test
}  // namespace benchbench::python_part
