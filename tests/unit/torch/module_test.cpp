#include <cstdio>
#include <filesystem>

#include "tests/places.h"
#include "tests/skip.h"
#include "tests/unit/torch/training_job.h"

namespace benchbench::test {

TEST_CASE("torch: the module asks the program for no symbol of ours", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string module = std::filesystem::path(built_path("bin/libbenchbench_torch.so"));
  FILE* const names = popen(("nm --undefined-only --dynamic '" + module + "'").c_str(), "r");
  REQUIRE(names);
  char line[4096];
  int undefined = 0, ours = 0;
  while (std::fgets(line, sizeof line, names)) {
    ++undefined;
    // The namespace as it is mangled.
    if (std::string_view(line).find("10benchbench") != std::string_view::npos) ++ours;
  }
  REQUIRE(pclose(names) == 0);
  CHECK(undefined > 10);  // else nm told us nothing
  CHECK(ours == 0);
}

}  // namespace benchbench::test
