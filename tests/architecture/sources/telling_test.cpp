// What is said on standard error never ends a run: fmt::print throws where its stream is full or
// closed.
#include <catch2/catch.hpp>
#include <regex>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {

bool prints_by_a_call_that_throws(const std::string& code) {
  if (!has_one_of(code, {"stderr", "cerr", "clog"})) return false;
  static const std::regex throwing(R"((fmt::print\s*\(\s*stderr|std::cerr|std::clog))");
  return std::regex_search(code, throwing);
}

TEST_CASE("telling: nothing prints on standard error by a call that throws", "[architecture]") {
  for (const SourceFile& file : sources_under({"harness"})) {
    CAPTURE(file.path);
    CHECK_FALSE(prints_by_a_call_that_throws(file.code));
  }
  CHECK(prints_by_a_call_that_throws("fmt::print(\n  stderr, \"x\")"));
}

}  // namespace benchbench::architecture
