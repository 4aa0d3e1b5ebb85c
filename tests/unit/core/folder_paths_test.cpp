// Paths where the process has lost its place.
#include "harness/core/files/folder_paths.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "harness/core/error.h"
#include "tests/scratch_folder.h"

namespace benchbench::folder_paths_test {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

TEST_CASE("folder paths: a working directory that was removed is told as such", "[unit][core]") {
  const fs::path before = fs::current_path(), gone = test::make_scratch_folder("folder_paths");
  CHECK(absolute_path("/a/b") == "/a/b");
  CHECK(absolute_path("a") == before / "a");
  fs::current_path(gone);
  fs::remove(gone);
  CHECK(absolute_path("/a/b") == "/a/b");
  CHECK_THROWS_WITH(absolute_path("a"),
                    Contains("a: the working directory cannot be found: No such file"));
  CHECK_THROWS_AS(absolute_path("a"), StoreError);
  fs::current_path(before);
}

TEST_CASE("folder paths: a folder for temporary files that is not there is named", "[unit][core]") {
  const std::string folder = test::make_scratch_folder("folder_paths");
  const char* set = std::getenv("TMPDIR");
  const std::string kept = set ? set : "";
  ::setenv("TMPDIR", folder.c_str(), 1);
  CHECK(temporary_folder() == folder);
  fs::remove(folder);
  CHECK_THROWS_WITH(temporary_folder(), Contains(folder));
  CHECK_THROWS_AS(temporary_folder(), StoreError);
  set ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace benchbench::folder_paths_test
