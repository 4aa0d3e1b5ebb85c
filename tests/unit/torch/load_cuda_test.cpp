// The module for CUDA and torch's libraries of it are really loaded. A machine without a GPU needs
// the packages that scripts/test --all fetches.
#include "harness/part/child_probe.h"
#include "tests/places.h"
#include "tests/skip.h"
#include "tests/unit/torch/training_job.h"
#include "tests/variable.h"

namespace benchbench::test {

constexpr const char* kLibraries = "LD_LIBRARY_PATH";

// Returns "" where it loads and torch finds a device, else the reason in one line.
std::string find_what_cuda_lacks() {
  return ask_child({program_path(), "probe-module", "torch_cuda"}, std::chrono::minutes{2});
}

TEST_CASE("torch cuda: a library that is missing is one sentence with its package",
          "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const Variable without(kLibraries, std::nullopt);
  const std::string why = find_what_cuda_lacks();
  if (why.empty()) BENCHBENCH_SKIP("all libraries of CUDA are here");
  CHECK_THAT(why, Catch::Matches("needs torch with CUDA: lib\\S+ is not here; the package nvidia-"
                                 "\\S+ brings it"));
}

TEST_CASE("torch cuda: with its libraries the module loads, and only a device can be missing",
          "[unit][torch][.all]") {
  BENCHBENCH_NEEDS_TORCH();
  const char* const fetched = std::getenv("BENCHBENCH_TORCH_CUDA_LIBRARIES");
  const Variable libraries(kLibraries,
                           fetched ? std::optional<std::string>(fetched) : std::nullopt);
  const std::string why = find_what_cuda_lacks();
  if (!fetched && why.starts_with("needs torch with CUDA"))
    BENCHBENCH_SKIP(why +
                    "; scripts/test --all fetches it where there is a toolkit with cuDNN and NCCL");
  INFO(why);
  CHECK((why.empty() || why.starts_with("torch finds no CUDA device: ")));
}

}  // namespace benchbench::test
