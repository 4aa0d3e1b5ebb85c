// "1 points": no text of the harness puts a number in front of a plural. counted() of
// harness/core/units.h does it.
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace plurals_test {

// Things that a person reads a count of, and that there can be one of.
bool counts_a_plural(const std::string& text) {
  if (!has_one_of(text, {"} "})) return false;
  static const std::regex words(
      R"((^|[^/])\{(:[^}]*)?\} (more |planned |other )?(points|rounds|trials|notes|notices|records|columns|workers|threads|pairs|steps|CPUs|runs|axes)\b(?!/s))");
  return std::regex_search(text, words);
}

// What is never one, or is a limit that is larger.
const std::set<std::string> kNeverOne = {
    "harness/plan/planner.cpp",               // over the most runs that a plan holds
    "harness/plan/points.cpp",                // over the most points
    "harness/app/preparation/csv_times.cpp",  // several columns
};

TEST_CASE("plurals: no text puts a number before a plural by itself", "[architecture]") {
  for (const char* folder : {"harness/report", "harness/app", "harness/plan"})
    for (const SourceFile& file : sources_under({folder})) {
      if (kNeverOne.contains(file.path)) continue;
      for (const Literal& literal : literals_of(file)) {
        INFO(file.path << ":" << literal.line << ": \"" << literal.text
                       << "\": use counted(n, \"...\")");
        CHECK_FALSE(counts_a_plural(literal.text));
      }
    }
}

TEST_CASE("plurals: such texts are found", "[architecture]") {
  CHECK(counts_a_plural("{} points"));
  CHECK(counts_a_plural("and {} more points"));
  CHECK(counts_a_plural("all {:>3} rounds have run"));
  CHECK_FALSE(counts_a_plural("{} of {}"));
  CHECK_FALSE(counts_a_plural("{} point"));
  CHECK_FALSE(counts_a_plural("{} pointsman"));
  CHECK_FALSE(counts_a_plural("{:.3g} steps/s"));
}

}  // namespace plurals_test
}  // namespace benchbench::architecture
