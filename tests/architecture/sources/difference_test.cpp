// One file says what is a difference: it alone knows Student's t and the exact rank tests.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace difference_test {

constexpr const char* kDifference = "harness/analysis/statistics/difference.cpp";
// The rank tests, which include their own header.
constexpr const char* kRanks = "harness/analysis/statistics/exact_tests";

std::set<std::string> files_including(const std::string& header) {
  std::set<std::string> found;
  for (const SourceFile& file : sources_under({"harness", "scenarios", "mocks"}))
    for (const Include& include : file.includes)
      if (include.path == header && !file.path.starts_with(kRanks)) found.insert(file.path);
  return found;
}

TEST_CASE("difference: t quantiles and rank tests are included by one file", "[architecture]") {
  CHECK(files_including("boost/math/distributions/students_t.hpp") ==
        std::set{std::string(kDifference)});
  CHECK(files_including(std::string(kRanks) + ".h") == std::set{std::string(kDifference)});
}

// 97.5 % of Student's t with one and two degrees of freedom, as tables begin. A trend within one
// window is no difference of two settings, and is looked for in the process that measures, below
// analysis.
TEST_CASE("difference: no source has a table of t of its own, but for a window's trend",
          "[architecture]") {
  for (const SourceFile& file : sources_under({"harness", "scenarios", "mocks"})) {
    if (file.path == "harness/series/step_trace.cpp") continue;
    INFO(file.path);
    CHECK((file.code.find("12.706") == std::string::npos));
    CHECK((file.code.find("4.303,") == std::string::npos));
  }
}

TEST_CASE("thresholds: none has its name in another file of the upper floors", "[architecture]") {
  std::set<std::string> names;
  const std::string& header = source_at("harness/analysis/statistics/thresholds.h").code;
  constexpr std::string_view kBegin = "constexpr double k";
  for (std::size_t at = header.find(kBegin); at != std::string::npos;
       at = header.find(kBegin, at)) {
    at += kBegin.size() - 1;
    names.insert(header.substr(at, header.find_first_of(" =", at) - at));
  }
  REQUIRE(names.size() > 15);
  for (const SourceFile& file :
       sources_under({"harness/analysis", "harness/report", "harness/app", "harness/tune"}))
    for (const std::string& name : names) {
      INFO(file.path << " has a " << name << " of its own");
      CHECK((file.path == "harness/analysis/statistics/thresholds.h" ||
             file.code.find("constexpr double " + name + " ") == std::string::npos));
    }
}

}  // namespace difference_test
}  // namespace benchbench::architecture
