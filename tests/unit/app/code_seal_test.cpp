// The user's code in the settings of a run: what has changed since is noticed.
#include "harness/app/preparation/code_seal.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "tests/scratch_folder.h"

namespace benchbench {
namespace code_seal_test {

struct Folder {
  Folder() : path(test::make_scratch_folder("code")) {}
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path + "/" + name).parent_path());
    std::ofstream(path + "/" + name) << text;
    return path + "/" + name;
  }
  std::string path;
};

SettingsMap code(const std::string& section, const std::string& key, const std::string& name) {
  SettingsMap settings;
  settings.set(section + key, {ParameterType::text, name});
  settings.set(section + "call", {ParameterType::text, std::string("make_data")});
  return settings;
}

Plan plan_of(SettingsMap settings) {
  CodeSeal().seal(settings);
  Plan plan;
  plan.points.emplace_back().settings = std::move(settings);
  return plan;
}

TEST_CASE("code seal: a script that was changed is noticed, in whichever loader or trainer it is",
          "[unit][app]") {
  const Folder folder;
  const std::string script = folder.file("train.py", "x = 1\n");
  SettingsMap loader = code("loader.", "script", script),
              trainer = code("trainer.", "script", script);
  CodeSeal().seal(loader), CodeSeal().seal(trainer);
  CHECK(loader.text("loader.script_digest") == trainer.text("trainer.script_digest"));
  SettingsMap prototype;
  for (const auto& [key, value] : loader.all())
    prototype.set("loader.of." + key.substr(sizeof "loader"), value);
  for (const SettingsMap* sealed : {&loader, &trainer, &prototype})
    CHECK_NOTHROW(CodeSeal().check_seal(*sealed));
  folder.file("train.py", "x = 2\n");
  for (const SettingsMap* sealed : {&loader, &trainer, &prototype}) {
    CHECK_THROWS_AS(CodeSeal().check_seal(*sealed), ScenarioError);
    CHECK_THROWS_WITH(CodeSeal().check_seal(*sealed),
                      Catch::Contains("train.py has changed since the run was planned"));
  }
}

TEST_CASE("code seal: what another run had otherwise is named", "[unit][app]") {
  const Folder folder;
  const std::string script = folder.file("train.py", "x = 1\n");
  const SettingsMap settings = code("loader.", "script", script);
  const Plan then = plan_of(settings);
  CHECK(changed_code(then, plan_of(settings)).empty());
  folder.file("train.py", "x = 1\n\n");
  CHECK(changed_code(then, plan_of(settings)) == script);
  CHECK(changed_code(then, plan_of(code("loader.", "script", folder.file("other.py", "x = 3\n"))))
            .empty());
}

TEST_CASE(
    "code seal: a script that is not there is an error, a module that is not here is left alone",
    "[unit][app]") {
  const Folder folder;
  SettingsMap missing = code("loader.", "script", folder.path + "/nowhere.py"),
              directory = code("loader.", "script", folder.path);
  CHECK_THROWS_AS(CodeSeal().seal(missing), ScenarioError);
  CHECK_THROWS_WITH(CodeSeal().seal(missing), Catch::Contains("nowhere.py"));
  CHECK_THROWS_AS(CodeSeal().seal(directory), ScenarioError);
  SettingsMap elsewhere = code("loader.", "module", "no_such_package_of_anyone.data"), native;
  CodeSeal().seal(elsewhere), CodeSeal().seal(native);
  CHECK_FALSE(elsewhere.has("loader.script_digest"));
  CHECK_FALSE(native.has("loader.script_digest"));
}

TEST_CASE("code seal: a library of parts that was built again is noticed", "[unit][app]") {
  const Folder folder;
  const std::string library = folder.file("libmine.so", "one");
  for (const std::string section : kCodeSections) {
    SettingsMap settings;
    settings.set(section + "use", {ParameterType::text, library});
    const Plan then = plan_of(settings);
    CodeSeal().seal(settings);
    CHECK(settings.has(section + "library_digest"));
    CHECK(libraries_in(settings) == std::vector{library});
    CHECK_NOTHROW(CodeSeal().check_seal(settings));
    folder.file("libmine.so", "two");
    CHECK_THROWS_WITH(CodeSeal().check_seal(settings),
                      Catch::Contains("libmine.so has changed since the run was planned"));
    CHECK(changed_code(then, plan_of(settings)) == library);
    folder.file("libmine.so", "one");
  }
  SettingsMap named;
  named.set("loader.use", {ParameterType::text, std::string("native")});
  CodeSeal().seal(named);
  CHECK_FALSE(named.has("loader.library_digest"));
  CHECK(libraries_in(named).empty());
}

TEST_CASE("code seal: a module of the working directory is read", "[unit][app]") {
  const auto back = std::filesystem::current_path();
  const Folder folder;
  folder.file("my_pkg/data.py", "x = 1\n");
  std::filesystem::current_path(folder.path);
  SettingsMap settings = code("loader.", "module", "my_pkg.data");
  CodeSeal().seal(settings);
  std::filesystem::current_path(back);
  CHECK(settings.has("loader.script_digest"));
}

}  // namespace code_seal_test
}  // namespace benchbench
