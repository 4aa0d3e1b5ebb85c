#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/places.h"
#include "tests/scratch_folder.h"
#include "tests/skip.h"
#include "tests/unit/torch/test_module.h"

namespace benchbench::test {
namespace {

using ResnetLogits = const char* (*)(int, const char*, const float*, std::int64_t, std::int64_t,
                                     float*);

// A folder of our own, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder() : path_(make_scratch_folder("torchvision")) {}
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::vector<float> floats_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

// BENCHBENCH_PYTHON or the active python3, whichever has torchvision.
bool torchvision_wrote(const std::filesystem::path& folder) {
  const char* const named = std::getenv("BENCHBENCH_PYTHON");
  for (const char* python : {named ? named : "python3", "python3"}) {
    const std::string command = std::string(python) + " " +
                                source_path("tests/unit/torch/torchvision_logits.py") + " " +
                                folder.string() + " > /dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("torch: torchvision's weights give torchvision's logits", "[unit][torch]") {
  BENCHBENCH_NEEDS_TORCH();
  const ScratchFolder scratch;
  if (!torchvision_wrote(scratch.path())) BENCHBENCH_SKIP("no python3 here can import torchvision");
  const auto resnet_logits =
      reinterpret_cast<ResnetLogits>(find_test_function("benchbench_test_logits"));
  // A trainer sets torch to one thread: more wait for each other longer than they work.
  const TrainingJob on_one_thread({.trainer = "mlp", .settings = {}});
  for (const int depth : {18, 50}) {
    const std::filesystem::path folder = scratch.path() / std::to_string(depth);
    const std::vector<float> images = floats_of(folder / "images");
    const std::vector<float> expected = floats_of(folder / "logits");
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
