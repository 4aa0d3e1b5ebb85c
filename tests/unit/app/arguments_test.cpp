#include "harness/app/arguments.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

namespace benchbench::arguments_test {

using Words = std::vector<std::string>;

int do_nothing(const Arguments&) { return 0; }

Command command_of(std::string_view positional) {
  return {"try",
          "measure",
          "tries",
          positional,
          {{"--set", "KEY=VALUE", "a setting", true},
           {"--out", "DIR", "a folder"},
           {"--quiet", "", "no progress"},
           {"--their_*", "", "another program's"}},
          "",
          do_nothing};
}

std::string error_of(std::string_view positional, const Words& words) {
  try {
    parse_arguments(command_of(positional), words);
    return "";
  } catch (const UsageError& e) {
    return std::string(e.message());
  }
}

TEST_CASE("arguments: an option that repeats keeps all values, another one the last",
          "[unit][app]") {
  const Arguments a = parse_arguments(command_of("FILE"), {"--set", "a=1", "x.yaml", "--out", "p",
                                                           "--set=b==2", "--out", "--quiet"});
  CHECK(a.list("--set") == Words{"a=1", "b==2"});
  CHECK(a.list("--out") == Words{"--quiet"});  // a value is the next word, whatever it looks like
  CHECK_FALSE(a.flag("--quiet"));
  CHECK(a.positional() == Words{"x.yaml"});
}

TEST_CASE("arguments: words of another program's options are taken as they are", "[unit][app]") {
  const Arguments a =
      parse_arguments(command_of("[FILE]"), {"--their_x=1", "--quiet", "--their_y", "-"});
  CHECK(a.list("--their_*") == Words{"--their_x=1", "--their_y"});
  CHECK(a.flag("--quiet"));
  CHECK(a.positional() == Words{"-"});
}

TEST_CASE("arguments: what is after -- is another program's, or no option", "[unit][app]") {
  const Words rest{"python", "--out", "--", "x"};
  Words words{"--quiet", "--"};
  words.insert(words.end(), rest.begin(), rest.end());
  CHECK(parse_arguments(command_of("-- COMMAND..."), words).positional() == rest);
  CHECK(parse_arguments(command_of("FILE..."), words).positional() == rest);
  CHECK(parse_arguments(command_of("-- COMMAND..."), {}).positional().empty());
  CHECK(error_of("-- COMMAND...", {"python", "--", "x"}) ==
        "benchbench try: 'python' is not after --");
}

TEST_CASE("arguments: the text of the positional words says how many there may be", "[unit][app]") {
  const std::string none = "benchbench try: ";
  CHECK(error_of("", {}).empty());
  CHECK(error_of("", {"a"}) == none + "'a' is one too many");
  CHECK(error_of("FILE", {}) == none + "FILE is missing");
  CHECK(error_of("FILE", {"a", "b"}) == none + "'b' is one too many, it takes FILE");
  CHECK(error_of("[FILE]", {}).empty());
  CHECK(error_of("[FILE]", {"a", "b"}) == none + "'b' is one too many, it takes [FILE]");
  CHECK(error_of("A [B]", {}) == none + "A [B] is missing");
  CHECK(error_of("A [B]", {"a", "b"}).empty());
  CHECK(error_of("A [B]", {"a", "b", "c"}) == none + "'c' is one too many, it takes A [B]");
  CHECK(error_of("DIR...", {}) == none + "DIR... is missing");
  CHECK(error_of("[WORD...]", Words(70, "a")).empty());
  CHECK(error_of("FILE", {""}) == none + "FILE is empty");
}

TEST_CASE("arguments: an option that is not known, or has no value, is named", "[unit][app]") {
  CHECK(error_of("", {"--outt", "x"}) ==
        "benchbench try: unexpected '--outt'; did you mean '--out'?");
  CHECK(error_of("", {"-o"}) == "benchbench try: unexpected '-o'");
  CHECK(error_of("", {"--out"}) == "benchbench try: --out needs a value: --out DIR");
  CHECK(error_of("", {"--out="}) == "--out: its DIR is empty");
  CHECK(error_of("", {"--set="}).empty());
  CHECK(error_of("", {"--quiet=no"}) == "benchbench try: --quiet takes no value");
}

}  // namespace benchbench::arguments_test
