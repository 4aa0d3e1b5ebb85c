#include <cstdio>
#include <filesystem>

#include "harness/part/torch/torch_folder.h"
#include "tests/places.h"
#include "tests/skip.h"
#include "tests/unit/torch/training_job.h"
#include "tests/variable.h"

namespace benchbench::test {

namespace {

// Those of torch's two modules that are built; that of CUDA is not where torch has no CUDA.
std::string choose_module() {
  return GENERATE(filter(
      [](const std::string& module) {
        return std::filesystem::exists(module) || !module.ends_with("cuda.so");
      },
      values<std::string>({built_path("bin/libbenchbench_torch.so"),
                           built_path("bin/libbenchbench_torch_cuda.so")})));
}

}  // namespace

TEST_CASE("torch: a module asks the program for no symbol of ours", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string module = choose_module();
  CAPTURE(module);
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

TEST_CASE("torch: a module holds no path to a torch", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const std::string module = choose_module();
  CAPTURE(module);
  FILE* const entries = popen(("readelf --dynamic --wide '" + module + "'").c_str(), "r");
  REQUIRE(entries);
  char line[4096];
  int needed = 0, paths = 0;
  while (std::fgets(line, sizeof line, entries)) {
    if (std::string_view(line).find("(NEEDED)") != std::string_view::npos) ++needed;
    if (std::string_view(line).find("PATH)") != std::string_view::npos) ++paths;
  }
  REQUIRE(pclose(entries) == 0);
  CHECK(needed > 2);  // else readelf told us nothing
  CHECK(paths == 0);
}

TEST_CASE("torch: what was handed over is what is loaded, unless it is another version",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const Variable before("BENCHBENCH_TORCH_FOUND", std::nullopt);
  CHECK(torch_handed_over() == "");
  const std::string found = find_torch().text();
  hand_over_torch();
  CHECK(torch_handed_over() == found);
  CHECK(find_torch().text() == found);
  const Variable other("BENCHBENCH_TORCH_FOUND", "/nowhere/torch\tof the active python");
  CHECK(torch_handed_over() == "");
  CHECK(find_torch().text() == found);
}

}  // namespace benchbench::test
