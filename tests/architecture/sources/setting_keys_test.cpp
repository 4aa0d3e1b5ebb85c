// The harness's own settings are named in record/setting_keys.h alone: a dotted key elsewhere is a
// misspelling that no compiler sees.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "harness/record/keys.h"
#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace setting_keys_test {

std::set<std::string> dotted_keys() {
  std::set<std::string> keys;
  const auto add = [&](const char* section, std::span<const Parameter> rows) {
    for (const Parameter& row : rows) keys.insert(std::string(section) + std::string(row.key));
  };
  add("dataset.", dataset_keys());
  add("loader.", loader_keys());
  add("trainer.", trainer_keys());
  add("measure.", measure_keys());
  add("run.", run_keys());
  return keys;
}

bool is_free(const std::string& path) {
  return path == "harness/record/setting_keys.h" || path.starts_with("harness/config/dlio/");
}

int count_keys(const SourceFile& file, const std::set<std::string>& keys) {
  int count = 0;
  for (const Literal& literal : literals_of(file)) {
    INFO(file.path << ":" << literal.line << ": \"" << literal.text << "\" is in setting_keys.h");
    const bool named = keys.contains(std::string(literal.text));
    if (!is_free(file.path)) CHECK_FALSE(named);
    count += named;
  }
  return count;
}

TEST_CASE("setting keys: each is a literal of one header alone", "[architecture]") {
  const std::set<std::string> keys = dotted_keys();
  int named = 0;
  for (const SourceFile& file : sources_under({"harness"})) {
    const int count = count_keys(file, keys);
    if (file.path == "harness/record/setting_keys.h") named = count;
  }
  CHECK(keys.size() > 60);
  CHECK(named == static_cast<int>(keys.size()));
}

}  // namespace setting_keys_test
}  // namespace benchbench::architecture
