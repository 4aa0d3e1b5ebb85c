#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace files_test {

const std::vector<std::string> kAll = {"harness", "mocks",  "scenarios",
                                       "tests",   "python", "scripts"};
constexpr int kMaxLines = 600;

// A thing without a home is a missing noun.
bool has_a_name_of_its_own(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  static const std::regex empty_words(
      "(^|_)(utils?|utilities|common|helpers?|misc|managers?|info|stuff)(_|$)");
  return !std::regex_search(stem, empty_words);
}

bool is_source(const std::string& path) {
  for (const char* const end : {".h", ".cpp", ".py", ".cmake", ".sh", "CMakeLists.txt"})
    if (path.ends_with(end)) return true;
  return false;
}

int lines_of(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// The first line of code, comments aside.
bool begins_with_pragma_once(const SourceFile& file) {
  const std::size_t first = file.code.find_first_not_of(" \n\t");
  return first != std::string::npos && file.code.compare(first, 12, "#pragma once") == 0;
}

// Words that say that something is not finished, and paths of somebody's machine.
bool is_left_over(const std::string& text) {
  if (!has_one_of(text, {"TODO", "FIXME", "XXX", "HACK", "/home/", "/root/"})) return false;
  static const std::regex words(R"(\b(TODO|FIXME|XXX|HACK)\b|/home/\w|/root/)");
  return std::regex_search(text, words);
}

TEST_CASE("files: each has a name of its own", "[architecture]") {
  for (const std::string& path : files_under(kAll)) {
    CAPTURE(path);
    CHECK(has_a_name_of_its_own(path));
  }
  CHECK_FALSE(has_a_name_of_its_own("harness/core/utils.h"));
  CHECK_FALSE(has_a_name_of_its_own("harness/trial/slot_manager.cpp"));
  CHECK_FALSE(has_a_name_of_its_own("harness/trial/common_types.h"));
  CHECK(has_a_name_of_its_own("harness/trial/information_ratio.h"));
}

// Names of files that another process, or another run, may choose as well.
bool names_its_own_scratch(const SourceFile& file) {
  if (!has_one_of(file.code, {"rand", "mkdtemp", "tmpnam", "tmpfile", "temp_directory_path"}))
    return false;
  static const std::regex calls(R"(\b(s?rand|mkdtemp|tmpnam|tmpfile|temp_directory_path)\s*\()");
  return std::regex_search(file.code, calls);
}

TEST_CASE("files: tests get their scratch folders from make_scratch_folder", "[architecture]") {
  for (const SourceFile& file : sources_under({"tests"})) {
    if (file.path == "tests/scratch_folder.h" || file.path.starts_with("tests/fuzz/")) continue;
    CAPTURE(file.path);
    CHECK_FALSE(names_its_own_scratch(file));
  }
  CHECK(names_its_own_scratch(
      source_from("x.cpp", "auto f = \"a-\" + std::to_string(std::rand());")));
  CHECK(names_its_own_scratch(source_from("x.cpp", "::mkdtemp(name.data());")));
  CHECK_FALSE(names_its_own_scratch(source_from("x.cpp", "// no rand()\noperand(1);")));
}

TEST_CASE("files: none is longer than 600 lines", "[architecture]") {
  for (const std::string& path : files_under(kAll)) {
    if (!is_source(path)) continue;
    CAPTURE(path);
    CHECK(lines_of(read_source(path)) <= kMaxLines);
  }
  CHECK(lines_of(std::string(601, '\n')) > kMaxLines);
}

TEST_CASE("files: every header begins with #pragma once", "[architecture]") {
  for (const SourceFile& file : sources_under({"harness", "mocks", "scenarios", "tests"})) {
    if (!file.is_header()) continue;
    CAPTURE(file.path);
    CHECK(begins_with_pragma_once(file));
  }
  CHECK(begins_with_pragma_once(source_from("x.h", "// What it is.\n#pragma once\nint x;\n")));
  CHECK_FALSE(begins_with_pragma_once(source_from("x.h", "#include <vector>\n#pragma once\n")));
  CHECK_FALSE(begins_with_pragma_once(source_from("x.h", "// #pragma once\n")));
}

TEST_CASE("files: nothing is left to do in them, and none names a place on somebody's machine",
          "[architecture]") {
  for (const SourceFile& file : sources_under({"harness", "mocks", "scenarios"})) {
    CAPTURE(file.path);
    CHECK_FALSE(is_left_over(file.text));
  }
  CHECK(is_left_over("// TODO: later"));
  CHECK(is_left_over("\"/home/me/data\""));
  CHECK_FALSE(is_left_over("a / home / b, TODOS"));
}

}  // namespace files_test
}  // namespace benchbench::architecture
