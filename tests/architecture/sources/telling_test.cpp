// What is said on standard error never ends a run: fmt::print throws where its stream is full or
// closed.
#include <catch2/catch.hpp>
#include <regex>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {

TEST_CASE("telling: nothing prints on standard error by a call that throws", "[architecture]") {
  const std::regex throwing(R"((fmt::print\s*\(\s*stderr|std::cerr|std::clog))");
  for (const SourceFile& file : sources_under({"harness"})) {
    CAPTURE(file.path);
    CHECK_FALSE(std::regex_search(file.code, throwing));
  }
  CHECK(std::regex_search(std::string("fmt::print(\n  stderr, \"x\")"), throwing));
}

}  // namespace benchbench::architecture
