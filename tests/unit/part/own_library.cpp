#include "harness/part/own_library.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/core/error.h"
#include "harness/part/own_part.h"
#include "tests/places.h"

namespace benchbench::own_library_tests {

std::string library(const std::string& name) {
  return test::built_path("bin/libbenchbench_test_" + name + ".so");
}

std::string refusal(const std::string& path) {
  try {
    library_parts(path);
  } catch (const ScenarioError& e) {
    return std::string(e.message());
  }
  return "";
}

TEST_CASE("own library: a path is told from a part's name", "[unit][part]") {
  for (const char* path : {"./libmine.so", "libmine.so", "/abs/libmine.so", "build/mine"})
    CHECK(is_library(path));
  for (const char* name : {"", "native", "so", "cached_batch"}) CHECK_FALSE(is_library(name));
}

TEST_CASE("own library: its parts are in every catalogue under its path, once it is loaded",
          "[unit][part]") {
  const std::string path = library("own");
  const Catalog catalog{std::span<const PartRow>()};
  CHECK(catalog.find(PartKind::loader, path) == nullptr);
  CHECK_THROWS_AS(catalog.maker(PartKind::loader, path), PartError);
  CHECK(library_parts(path).size() == 2);
  CHECK(catalog.maker(PartKind::loader, path).loader != nullptr);
  const PartRow* row = catalog.find(PartKind::loader, path);
  REQUIRE(row);
  CHECK(row->description->name == path);
  CHECK(row->description->summary == "Small.");
  CHECK(catalog.maker(PartKind::trainer, path).trainer != nullptr);
  CHECK(library_parts(path).data() == row);
  CHECK(catalog.find(PartKind::sampler, path) == nullptr);
  CHECK_THROWS_AS(catalog.maker(PartKind::sampler, path), PartError);
}

TEST_CASE("own library: another version's is refused by its number, and nothing of it is called",
          "[unit][part]") {
  const std::string why = refusal(library("own_other_version"));
  CHECK(why.find("was built for interface " + std::to_string(kPartInterface + 1) +
                 " of parts, and this program has " + std::to_string(kPartInterface)) !=
        std::string::npos);
  CHECK(find_library_part(PartKind::loader, library("own_other_version")) == nullptr);
}

TEST_CASE("own library: what is no library of parts is refused", "[unit][part]") {
  CHECK(refusal("/no/such/libmine.so") == "there is no library /no/such/libmine.so");
  CHECK(refusal(test::source_path("README.md")).find("README.md cannot be loaded as a library: ") !=
        std::string::npos);
  // A module of the program's own, too.
  CHECK(refusal(library("fitting")).find("is a library without parts: it exports no ") !=
        std::string::npos);
}

TEST_CASE("own library: parts that cannot be made or told apart are refused", "[unit][part]") {
  CHECK(refusal(library("own_two_loaders"))
            .find("has loader small and loader small: a library has at most one of a kind") !=
        std::string::npos);
  for (const char* name : {"own_without_maker", "own_format"})
    CHECK(refusal(library(name)).find("is neither a loader with a loader's maker nor") !=
          std::string::npos);
  try {
    library_part(PartKind::trainer, library("own_loader"));
    FAIL("no error");
  } catch (const ScenarioError& e) {
    CHECK(std::string(e.message()).find("has no trainer; it has a loader") != std::string::npos);
  }
}

}  // namespace benchbench::own_library_tests
