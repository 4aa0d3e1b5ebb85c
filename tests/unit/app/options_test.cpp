#include "harness/app/options.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>
#include <string>

namespace benchbench::options_test {

using Names = std::vector<std::string_view>;

// Returns the commands whose option of that name says something of its own.
const std::map<std::string_view, Names>& own_words() {
  static const std::map<std::string_view, Names> all{
      {"--strict", {"wrap", "tune", "require", "doctor"}},
      {"--budget", {"wrap", "tune", "require", "compare"}},
      {"--out", {"wrap", "doctor", "init"}},
      {"--rounds", {"wrap", "selftest"}},
      {"--only", {"selftest"}},
      {"--set", {"contract"}},
      {"--check", {"wrap"}},
      {"--cache", {"child"}}};
  return all;
}

bool has_own_words(const Command& command, std::string_view option) {
  const auto found = own_words().find(option);
  return found != own_words().end() && std::ranges::count(found->second, command.name) > 0;
}

TEST_CASE("options: an option of several commands says the same in each", "[unit][app]") {
  std::map<std::string_view, const Option*> first;
  for (const Command* command : commands())
    for (const Option& option : command->options) {
      if (has_own_words(*command, option.name)) continue;
      INFO(command->name << ' ' << option.name);
      const Option& other = *first.try_emplace(option.name, &option).first->second;
      CHECK(option.help == other.help);
      CHECK(option.value == other.value);
      CHECK(option.repeats == other.repeats);
    }
}

TEST_CASE("options: no command has an option twice, and each says what it does", "[unit][app]") {
  for (const Command* command : commands()) {
    Names names;
    for (const Option& option : command->options) {
      INFO(command->name << ' ' << option.name);
      CHECK(std::ranges::count(names, option.name) == 0);
      CHECK_FALSE(option.help.empty());
      names.push_back(option.name);
    }
  }
}

TEST_CASE("options: shared ones come in the order of their names; others are a bug",
          "[unit][app]") {
  const std::vector<Option> two = shared_options({"--quiet", "--set"});
  REQUIRE(two.size() == 2);
  CHECK(two[0].name == "--quiet");
  CHECK(two[1].repeats);
  CHECK_THROWS_AS(shared_options({"--set", "--st"}), std::logic_error);
}

TEST_CASE("commands: each name and each group is known", "[unit][app]") {
  Names names;
  for (const Command* command : commands()) {
    INFO(command->name);
    CHECK(std::ranges::count(names, command->name) == 0);
    CHECK(command->run != nullptr);
    names.push_back(command->name);
  }
  CHECK(names.front() == "run");
  CHECK(std::ranges::count(names, "probe-module") == 1);
}

}  // namespace benchbench::options_test
