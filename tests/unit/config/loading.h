// Loads a scenario from text in a test.
#pragma once
#include <unistd.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/config/scenario_file.h"
#include "tests/scratch_folder.h"
#include "tests/unit/config/test_catalog.h"

namespace benchbench::test {

// A file that is there while this lives.
class ScenarioText {
 public:
  explicit ScenarioText(const std::string& text)
      : folder_(make_scratch_folder("scenario")), path_(folder_ + "/scenario.yaml") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ScenarioText() { std::filesystem::remove_all(folder_); }
  const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

inline ScenarioRequest request_for(const std::string& path) {
  ScenarioRequest request;
  request.path = path;
  request.cuda_reason = "no driver";
  request.cores = 2;
  return request;
}

inline Scenario load_text(const std::string& text, ScenarioRequest request = request_for(""),
                          const Catalog& catalog = small_catalog()) {
  const ScenarioText file(text);
  request.path = file.path();
  return load_scenario(request, catalog);
}

// The diagnostics of a scenario that must not load.
inline std::vector<Diagnostic> refused(const std::string& text,
                                       ScenarioRequest request = request_for("")) {
  try {
    load_text(text, std::move(request));
  } catch (const ScenarioDiagnostics& e) {
    return e.all();
  }
  FAIL("loaded, but should be refused:\n" << text);
  return {};
}

// Exactly one diagnostic, in this place, under this text, saying this.
inline void require_refused(const std::string& text, int line, int column, const std::string& under,
                            const std::string& says, ScenarioRequest request = request_for("")) {
  INFO(text);
  const std::vector<Diagnostic> all = refused(text, std::move(request));
  INFO(ScenarioDiagnostics(all).text());
  REQUIRE(all.size() == 1);
  CHECK(all[0].line == line);
  CHECK(all[0].column == column);
  REQUIRE(all[0].excerpt.size() + 1 >= static_cast<std::size_t>(all[0].column));
  CHECK(all[0].excerpt.substr(all[0].column - 1, all[0].width) == under);
  CHECK_THAT(all[0].message, Catch::Contains(says));
}

inline const std::string kMock = "loader: {use: synthetic}\ntrainer: {use: timed}\n";

}  // namespace benchbench::test
