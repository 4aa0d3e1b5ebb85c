// A library of the user's own is built apart from the program: where a header between the two
// changes in more than its comments, the number of the interface must change.
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "harness/core/digest.h"
#include "harness/part/own_part.h"
#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace part_interface_test {

// The number, and the digest of the headers' code when it was raised last.
constexpr std::uint32_t kNumber = 1;
constexpr const char* kDigest = "e4db92a0c0179f4a45484d8740696fc3";

void add_with_includes(const std::string& path, std::set<std::string>& paths) {
  if (!paths.insert(path).second) return;
  for (const Include& include : source_at(path).includes)
    if (!include.angled) add_with_includes(include.path, paths);
}

// Without its comments, its spaces and the number itself; literals count.
std::string bare_code(const SourceFile& file) {
  std::string bare;
  for (const char c : file.code)
    if (c != ' ' && c != '\n') bare += c;
  for (const Literal& literal : literals_of(file)) bare += literal.text + '\n';
  static const std::regex number("kPartInterface=[0-9]+");
  return std::regex_replace(bare, number, "");
}

std::set<std::string> interface_headers() {
  std::set<std::string> paths;
  add_with_includes("harness/part/own_part.h", paths);
  return paths;
}

TEST_CASE("part interface: its list names the headers that own_part.h includes", "[architecture]") {
  std::set<std::string> listed;
  std::istringstream text(read_source("harness/part/interface.txt"));
  for (std::string line; std::getline(text, line);)
    if (!line.starts_with("#")) listed.insert(line);
  CHECK(listed == interface_headers());
}

TEST_CASE("part interface: its number is raised where a header of it changes", "[architecture]") {
  const std::set<std::string> paths = interface_headers();
  std::string all;
  for (const std::string& path : paths) all += bare_code(source_at(path));
  const std::string digest = digest_of(all).text();
  INFO(
      "where a header has changed since the last release: raise kPartInterface, and write both "
      "here");
  CHECK(digest == kDigest);
  CHECK(kPartInterface == kNumber);
}

TEST_CASE("part interface: comments and spaces do not count, and all else does", "[architecture]") {
  const auto bare = [](const char* text) { return bare_code(source_from("x.h", text)); };
  CHECK(bare("int x;  // one\n") == bare("int\nx;\n"));
  CHECK(bare("int x;") != bare("int y;"));
  CHECK(bare("f(\"a\");") != bare("f(\"b\");"));
  CHECK(bare("kPartInterface = 1;") == bare("kPartInterface = 2;"));
}

}  // namespace part_interface_test
}  // namespace benchbench::architecture
