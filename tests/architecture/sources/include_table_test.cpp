#include "tests/architecture/sources/include_table.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace benchbench::architecture {
namespace {

const std::vector<std::string> kOurCode = {"harness", "mocks", "scenarios"};

std::vector<std::string> broken_in(const std::string& path, const std::string& text) {
  return broken_includes(source_from(path, text), include_table());
}

}  // namespace

TEST_CASE("include table: every source keeps it", "[architecture]") {
  const auto files = sources_under(kOurCode);
  REQUIRE(files.size() > 50);  // the sources were found at all
  std::vector<std::string> broken;
  for (const SourceFile& file : files)
    for (std::string& line : broken_includes(file, include_table()))
      broken.push_back(std::move(line));
  for (const std::string& line : broken) UNSCOPED_INFO(line);
  CHECK(broken.empty());
}

TEST_CASE("include table: no circle between folders, in the table or in the sources",
          "[architecture]") {
  CHECK(circle_in(folder_graph(sources_under(kOurCode))) == "");
  FolderGraph table;
  for (const auto& [folder, row] : include_table()) table[folder] = row.folders;
  CHECK(circle_in(table) == "");
}

TEST_CASE("include table: analysis, report and app keep the order of their folders",
          "[architecture]") {
  const std::string room = GENERATE("analysis", "report", "app");
  const auto rows = room_rows(room);
  REQUIRE(rows.size() > 8);
  std::vector<std::string> broken;
  for (const SourceFile& file : sources_under({"harness/" + room}))
    for (std::string& line : broken_in_room(file, room, rows)) broken.push_back(std::move(line));
  for (const std::string& line : broken) UNSCOPED_INFO(line);
  CHECK(broken.empty());
}

TEST_CASE("include table: a room's folder may include those above it alone", "[architecture]") {
  std::set<std::string> above;
  for (const RoomRow& row : room_rows(GENERATE("analysis", "report", "app"))) {
    INFO(row.name);
    CHECK(std::ranges::includes(above, row.may_include));
    above.insert(row.name);
  }
}

TEST_CASE("include table: the check sees a room's folder that may not be included",
          "[architecture]") {
  const std::vector<RoomRow> rows = {
      {"rates", false, {}}, {"rules", false, {"rates"}}, {"findings.h", true, {}}};
  const auto broken = [&](const std::string& path, const std::string& included) {
    return broken_in_room(source_from(path, "#include \"harness/analysis/" + included + "\"\n"),
                          "analysis", rows);
  };
  CHECK(broken("harness/analysis/rates/x.cpp", "rules/rules.h").size() == 1);
  CHECK(broken("harness/analysis/rules/x.h", "findings.h").size() == 1);
  CHECK(broken("harness/analysis/findings.h", "rates/verdict.h").size() == 1);
  CHECK(broken("harness/analysis/nowhere/x.h", "rates/verdict.h").size() == 1);
  CHECK(broken("harness/analysis/rules/x.cpp", "rates/verdict.h").empty());
  CHECK(broken("harness/analysis/rules/x.cpp", "rules/rules.h").empty());
}

TEST_CASE("include table: the harness meets mocks and scenarios in the catalogue alone",
          "[architecture]") {
  std::vector<std::string> met;
  for (const SourceFile& file : sources_under({"harness"}))
    for (const Include& include : file.includes)
      if (include.path.starts_with("mocks/") || include.path.starts_with("scenarios/"))
        met.push_back(file.path + " includes " + include.path);
  for (const std::string& path : files_under({"harness"})) {
    if (!path.ends_with("CMakeLists.txt")) continue;
    const std::string text = read_source(path);
    for (const char* const folder :
         {"mock_loaders", "mock_trainers", "benchbench::formats", "benchbench::storage",
          "benchbench::decode", "benchbench::synthesis", "benchbench::loaders",
          "benchbench::trainers"})
      if (text.find(folder) != std::string::npos) met.push_back(path + " links " + folder);
  }
  for (const std::string& line : met) UNSCOPED_INFO(line);
  CHECK(met.empty());
}

TEST_CASE("include table: the check sees a folder that may not be included", "[architecture]") {
  CHECK(broken_in("harness/core/x.cpp", "#include \"harness/part/batch.h\"\n").size() == 1);
  CHECK(broken_in("harness/trial/sampling/x.cpp", "#include \"harness/config/layer.h\"\n").size() ==
        1);
  CHECK(broken_in("harness/plan/x.h", "#include \"mocks/service_time.h\"\n").size() == 1);
  CHECK(broken_in("mocks/loaders/x.cpp", "#include \"scenarios/decode/row_maker.h\"\n").size() ==
        1);
  CHECK(
      broken_in("scenarios/loaders/x.cpp", "#  include  \"harness/pipeline/credits.h\"\n").size() ==
      1);
  CHECK(broken_in("harness/core/x.cpp", "#include \"units.h\"\n").size() == 1);
  CHECK(broken_in("harness/nowhere/x.cpp", "").size() == 1);
  CHECK(broken_in("harness/part/x.cpp",
                  "\n\n#include \"harness/core/units.h\"\n#include \"harness/part/batch.h\"\n")
            .empty());
  CHECK(broken_in("harness/core/x.cpp", "// #include \"harness/part/batch.h\"\n").empty());
}

TEST_CASE("include table: the check sees a library that may not be used", "[architecture]") {
  CHECK(broken_in("harness/plan/x.cpp", "#include <yaml-cpp/yaml.h>\n").size() == 1);
  CHECK(broken_in("harness/record/x.h", "#include <nlohmann/json.hpp>\n").size() == 1);
  CHECK(broken_in("harness/record/x.cpp", "#include <nlohmann/json.hpp>\n").empty());
  CHECK(broken_in("harness/core/x.h", "#include <fmt/format.h>\n").size() == 1);
  CHECK(broken_in("scenarios/trainers/x.cpp", "#include <fmt/format.h>\n").size() == 1);
  CHECK(broken_in("harness/trial/x.cpp", "#include <some_new_library.h>\n").size() == 1);
  CHECK(broken_in("harness/trial/x.cpp", "#include <vector>\n#include <sys/wait.h>\n").empty());
}

TEST_CASE("include table: the check sees a circle", "[architecture]") {
  CHECK(circle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}}) == "a -> b -> c -> a");
  CHECK(circle_in({{"a", {"b", "c"}}, {"b", {"d"}}, {"c", {"d"}}}) == "");
}

}  // namespace benchbench::architecture
