#include <cmath>

#include "tests/skip.h"
#include "tests/unit/torch/test_module.h"
#include "tests/unit/torch/torch_script.h"

namespace benchbench::test {
namespace {

using ResnetLogits = const char* (*)(int, const char*, const float*, std::int64_t, std::int64_t,
                                     float*);

}  // namespace

TEST_CASE("torch: torchvision's weights give torchvision's logits", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const ScratchFolder scratch;
  if (!run_torch_script("BENCHBENCH_PYTHON", "torchvision_logits.py", scratch.path()))
    BENCHBENCH_SKIP("no python3 here can import torchvision");
  const auto resnet_logits =
      reinterpret_cast<ResnetLogits>(find_test_function("benchbench_test_logits"));
  // A trainer sets torch to one thread: more wait for each other longer than they work.
  const TrainingJob on_one_thread({.trainer = "mlp", .settings = {}});
  for (const int depth : {18, 50}) {
    const std::filesystem::path folder = scratch.path() / std::to_string(depth);
    const std::vector<float> images = read_values<float>(folder / "images");
    const std::vector<float> expected = read_values<float>(folder / "logits");
    REQUIRE(images.size() == 2 * 3 * 64 * 64);
    REQUIRE(expected.size() == 2 * 1000);
    std::vector<float> logits(expected.size());
    REQUIRE(std::string(resnet_logits(depth, (folder / "weights").c_str(), images.data(), 2, 64,
                                      logits.data())) == "");
    double largest = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      largest = std::max(largest, static_cast<double>(std::abs(logits[i] - expected[i])));
    }
    CAPTURE(depth, largest);
    CHECK(largest < 1e-4);
  }
}

}  // namespace benchbench::test
