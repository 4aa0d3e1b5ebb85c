// Libraries of the user's own, named by a scenario: where their paths begin, and what is wrong with
// one.
#include <algorithm>
#include <filesystem>

#include "tests/unit/config/loading.h"

namespace benchbench {
namespace named_libraries_test {

using test::request_for;
using Asked = std::vector<std::pair<PartKind, std::string>>;

// Which libraries loading asks for. None is there, so that the scenario itself is refused.
Asked asked(const std::string& path, ScenarioRequest request) {
  Asked all;
  request.path = path;
  request.load_library = [&](PartKind kind, const std::string& library) {
    all.emplace_back(kind, library);
  };
  CHECK_THROWS_AS(load_scenario(request, test::small_catalog()), ScenarioDiagnostics);
  return all;
}

std::string next_to(const test::ScenarioText& file, const std::string& name) {
  return (std::filesystem::path(file.path()).parent_path() / name).string();
}

TEST_CASE("named libraries: a file's paths begin at its folder, wherever in it they stand",
          "[unit][config]") {
  const test::ScenarioText file(
      "loader: {use: ./a.so}\n"
      "trainer.use: b.so\n"
      "sweep: {loader.use: [synthetic, build/c.so, /abs/d.so]}\n"
      "variants:\n  other: {loader: {use: ../e.so}}\n");
  const Asked all = asked(file.path(), request_for(""));
  const auto has = [&](PartKind kind, const std::string& path) {
    INFO(path);
    CHECK(std::ranges::count(all, std::pair(kind, path)) == 1);
  };
  has(PartKind::loader, next_to(file, "a.so"));
  has(PartKind::trainer, next_to(file, "b.so"));
  has(PartKind::loader, next_to(file, "build/c.so"));
  has(PartKind::loader, "/abs/d.so");
  has(PartKind::loader,
      std::filesystem::path(next_to(file, "../e.so")).lexically_normal().string());
  CHECK(all.size() == 5);
}

TEST_CASE("named libraries: the command line's begin at the working directory, with a slash",
          "[unit][config]") {
  const test::ScenarioText file(test::kMock);
  ScenarioRequest request = request_for("");
  request.sets = {{"loader.use", "a.so"}, {"trainer", "{use: ./b.so}"}};
  request.sweeps = {{"loader.use", "up/c.so,../d.so"}};
  CHECK(asked(file.path(), request) == Asked{{PartKind::loader, "./a.so"},
                                             {PartKind::trainer, "./b.so"},
                                             {PartKind::loader, "up/c.so"},
                                             {PartKind::loader, "../d.so"}});
}

TEST_CASE("named libraries: what is wrong with one is said where it is named, and nothing else",
          "[unit][config]") {
  ScenarioRequest request = request_for("");
  request.load_library = [](PartKind, const std::string&) {
    throw ScenarioError("it is none", "build it");
  };
  test::require_refused("loader: {use: ./a.so, siez: 4}\ntrainer: {use: timed}\n", 1, 15, "./a.so",
                        "it is none; build it", request);
  request.load_library = nullptr;
  test::require_refused("loader: {use: ./a.so}\ntrainer: {use: timed}\n", 1, 15, "./a.so",
                        "unknown loader", request);
}

}  // namespace named_libraries_test
}  // namespace benchbench
