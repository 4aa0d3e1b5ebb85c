// What people read is plain English: string literals of the program and of its parts,
// documentation, scenarios.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace wording_test {

// Each stood in a text for users that had to be read twice.
constexpr const char* kBanned[] = {
    R"(told for what)",
    R"(into nothing)",
    R"(some(body|one)'s)",
    R"(steps? (would )?wins?\b)",
    R"(nothing tells)",
    R"(tells? what)",
    R"(\bplayed\b)",
    R"(la(y|id|ying) (on|over)\b)",
    R"(as (it|they) lies?)",
    R"(made ahead)",
    R"(for want of)",
    R"(for ever\b)",
    R"(cut short)",
    R"(cannot be had)",
    R"(fault of benchbench)",
    R"(\banew\b)",
    R"(set beside)",
    R"(to read it ended)",
    R"(\bso many\b)",
    R"(from pieces alone)",
    R"(whoever)",
    R"(\bwas foretold\b)",
    R"(its last words)",
    R"(at its limit stands)",
    R"((^|[^\w])(?!there\b)[\w'{}]+ (is|are) no (?!longer\b|more\b)[a-z])",
    R"(takes each other's)",
    R"(by pencil)",
};
// Words that are right now and then and were everywhere: how often all texts together may have
// them.
struct Rare {
  const char* word;
  std::size_t most;
};
constexpr Rare kRare[] = {
    {R"(\btold\b)", 0}, {R"(\b(no|some|any)body\b)", 0}, {R"(\blies?\b)", 0}, {R"(\bbeside\b)", 0}};

struct Text {
  std::string where, words;
};

std::vector<Text> literals_for_users() {
  std::vector<Text> texts;
  for (const SourceFile& file : sources_under({"harness", "mocks", "scenarios"}))
    for (const Literal& literal : joined_literals_of(file))
      if (literal.text.find(' ') != std::string::npos)
        texts.push_back({file.path + ":" + std::to_string(literal.line), literal.text});
  return texts;
}

// On one line, so that a phrase is found across a break.
std::string on_one_line(std::string text) {
  static const std::regex breaks(R"(\s*\n[#\s]*)");
  return std::regex_replace(text, breaks, " ");
}

std::vector<Text> documents() {
  std::vector<std::string> paths = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"};
  for (const std::string& path : files_under({"docs", "harness", "configs"}))
    if (path.ends_with(".md") || path.ends_with(".yaml")) paths.push_back(path);
  paths.emplace_back("results/README.md");
  std::vector<Text> texts;
  for (const std::string& path : paths) texts.push_back({path, on_one_line(read_source(path))});
  return texts;
}

std::vector<std::string> found_in(const std::vector<Text>& texts, const char* pattern) {
  const std::regex phrase(pattern, std::regex::icase);
  std::vector<std::string> found;
  for (const Text& text : texts)
    for (std::sregex_iterator at(text.words.begin(), text.words.end(), phrase), end; at != end;
         ++at) {
      const auto begin = std::max<std::ptrdiff_t>(0, at->position() - 30);
      found.push_back(text.where + ": ..." +
                      text.words.substr(static_cast<std::size_t>(begin), 80));
    }
  return found;
}

std::vector<std::string> banned_in(const std::vector<Text>& texts) {
  std::vector<std::string> found;
  for (const char* const phrase : kBanned) {
    const auto here = found_in(texts, phrase);
    found.insert(found.end(), here.begin(), here.end());
  }
  return found;
}

TEST_CASE("wording: texts of the program have no phrase that must be read twice",
          "[architecture]") {
  const std::vector<Text> texts = literals_for_users();
  REQUIRE(texts.size() > 1500);
  CHECK(banned_in(texts) == std::vector<std::string>{});
  CHECK(banned_in({{"x", "killed: somebody's kill"}}).size() == 1);
  CHECK(banned_in({{"x", "Nothing tells what 'x' is"}}).size() == 2);
  CHECK(banned_in({{"x", "'x' is no digest"}, {"y", "these are no JPEGs"}}).size() == 2);
  CHECK(banned_in({{"x", "it is no longer there and is not a digest; there are no more"}}).empty());
}

TEST_CASE("wording: neither has the documentation, nor a scenario", "[architecture]") {
  const std::vector<Text> texts = documents();
  REQUIRE(texts.size() > 30);
  CHECK(banned_in(texts) == std::vector<std::string>{});
  CHECK(banned_in({{"x", on_one_line("the loader runs into\n# nothing")}}).size() == 1);
}

TEST_CASE("wording: some words are rare", "[architecture]") {
  std::vector<Text> texts = literals_for_users();
  const std::vector<Text> documented = documents();
  texts.insert(texts.end(), documented.begin(), documented.end());
  for (const Rare& rare : kRare) {
    const auto found = found_in(texts, rare.word);
    CAPTURE(rare.word, found);
    CHECK(found.size() <= rare.most);
  }
  CHECK(found_in({{"x", "It lies there. Lie. belies"}}, kRare[2].word).size() == 2);
}

TEST_CASE("wording: a text that is split over lines is one", "[architecture]") {
  const SourceFile file = source_from(
      "x.cpp", "f(\"a file that is cut \"  // comment\n  \"short\", \"b\", 'c', \"d\");");
  const auto literals = joined_literals_of(file);
  REQUIRE(literals.size() == 3);
  CHECK(literals[0].text == "a file that is cut short");
  CHECK(literals[2].text == "d");
}

}  // namespace wording_test
}  // namespace benchbench::architecture
