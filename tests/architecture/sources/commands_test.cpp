// A text that names a command names one that the program has.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace commands_test {

// Returns the names in the list of harness/app/CMakeLists.txt.
std::set<std::string> command_names() {
  const std::string text = read_source("harness/app/CMakeLists.txt");
  const std::string start = "set(commands\n";
  const std::size_t at = text.find(start) + start.size();
  std::istringstream list(text.substr(at, text.find(')', at) - at));
  std::set<std::string> names{"help", "probe-module"};
  for (std::string name; list >> name;) names.insert(name);
  return names;
}

// Returns the words that stand as a command: after `benchbench, or in a line of a shell's;
// gone ones anywhere.
std::vector<std::string> named_commands(const std::string& text) {
  // Commands that were there once: wherever they stand.
  const std::set<std::string> gone{"list",    "prune",  "export", "version",
                                   "datagen", "verify", "convert"};
  const std::string program = "benchbench ";
  std::vector<std::string> names;
  for (std::size_t at = text.find(program); at != text.npos; at = text.find(program, at + 1)) {
    const std::string_view before = std::string_view(text).substr(0, at);
    const std::size_t begin = at + program.size();
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", begin);
    const std::string name = text.substr(begin, end - begin);
    bool is_named = gone.contains(name);
    for (const char* start : {"`", "`scripts/", "\nscripts/", "$ scripts/", "\"  "})
      is_named |= before.ends_with(start) && !name.empty() && name.front() != '-';
    if (is_named) names.push_back(name);
  }
  return names;
}

TEST_CASE("commands: every one that a text names is there", "[architecture]") {
  const std::set<std::string> known = command_names();
  REQUIRE(known.size() >= 15);
  std::size_t seen = 0;
  std::vector<std::string> paths = files_under(
      {"harness", "docs", "scripts", "configs", "python", "examples", "mocks", "scenarios"});
  paths.insert(paths.end(), {"README.md", "CONTRIBUTING.md"});
  for (const std::string& path : paths)
    for (const std::string& name : named_commands(read_source(path))) {
      INFO(path << ": benchbench " << name);
      CHECK(known.contains(name));
      ++seen;
    }
  CHECK(seen > 100);
  CHECK(named_commands("x\nscripts/benchbench verify F, `benchbench list`; "
                       "\"make them: benchbench datagen '{}'\", benchbench finds") ==
        std::vector<std::string>{"verify", "list", "datagen"});
}

}  // namespace commands_test
}  // namespace benchbench::architecture
