// A card that a process of the user's has: no context of ours takes its place, and what the card
// did is in the record.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/golden/cuda/stub_run.h"
#include "tests/skip.h"
#include "tests/unit/python/user_code.h"

namespace benchbench::test {
namespace cuda_elsewhere_test {

using Catch::Matchers::Contains;

// A step with a context of its own, as torch has one.
constexpr const char* kScript = R"(
import ctypes

driver = ctypes.CDLL("libcuda.so.1")

def make_rows():
    return [[0, 1, 2, 3] for _ in range(64)]

def setup(device):
    context = ctypes.c_void_p()
    assert driver.cuInit(0) == 0
    refused = driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    assert refused == 0, "the context was refused with %d" % refused

def train_step(batch, state=None):
    return 0.0
)";

// Runs the scenario in the folder, on a card that has room for one context, and notes each.
Ran run_exclusively(const Scratch& s, const std::string& loader, const std::string& device) {
  s.write("train.py", kScript);
  s.write("own.yaml", "name: own\nquestion: Who has the card?\nloader: {" + loader +
                          "}\ntrainer: {use: python, script: train.py, call: train_step, setup: "
                          "setup, python: " +
                          test_python() + ", device: \"" + device +
                          "\"}\nmeasure: {rounds: 1, class: selftest, modes: [pipeline], window: "
                          "600ms, window_batches: 20, warmup: 20ms}\n");
  std::filesystem::create_directory(s.path("contexts"));
  return run_on_stub(s, {"run", "own.yaml", "--out", "r"},
                     {{"EXCLUSIVE", "1"}, {"CONTEXTS", s.path("contexts")}, {"OWN", "0"}});
}

void check_card(const nlohmann::json& record) {
  CHECK(usable(record));
  const auto& gpu = record.at("facts").at("gpu");
  CHECK(gpu.at("uuid") == "00112233-4455-6677-8899-aabbccddee00");
  CHECK(gpu.at("model") == "Stub GPU");
  CHECK(gpu.at("foreign") == 0);
  CHECK(gpu.at("throttled") == "none");
  CHECK(gpu.at("pcie_generation") == 5);
  bool has_clock = false;
  for (const auto& probe : record.at("facts").at("probes"))
    has_clock = has_clock || (probe.at("name") == "gpu_clock" && probe.at("mean") == 1.98e9);
  CHECK(has_clock);
}

TEST_CASE("cuda: a step in a process of its own has the card's only context", "[golden][cuda]") {
  NEEDS_PACKAGE("numpy");
  Scratch s;
  const Ran ran = run_exclusively(
      s,
      "use: synthetic, num_workers: 1, batch_size: 4, batch_time: 2ms, height: 8, width: 8, "
      "sample_bytes: 64, wait: sleep, pin_memory: true",
      "cuda:0");
  INFO(ran.err << ran.out);
  CHECK(ran.code == 0);
  const auto record = records_of(s, "r", "pipeline").at(0);
  check_card(record);
  CHECK(record.at("facts").at("gpu").at("name") == "cuda:0");
}

TEST_CASE("cuda: what the card did is recorded where the scenario knows of none",
          "[golden][cuda]") {
  Scratch s;
  const Ran ran = run_exclusively(
      s, "use: python, script: train.py, call: make_rows, python: " + test_python(), "cpu");
  INFO(ran.err << ran.out);
  CHECK((ran.code == 0 || ran.code == 8));  // 8: other programs took the rounds' rates
  check_card(records_of(s, "r", "pipeline").at(0));
}

// The stub is a driver to the harness, and none to torch.
TEST_CASE("cuda: a network says in one sentence what torch lacks on CUDA", "[golden][cuda]") {
  Scratch s;
  s.write("net.yaml",
          "name: net\nquestion: What does torch lack?\nloader: {use: synthetic, num_workers: 1, "
          "batch_size: 4, height: 8, width: 8}\ntrainer: {use: mlp, device: \"cuda:0\"}\n"
          "measure: {rounds: 1, class: selftest, modes: [trainer], window: 200ms}\n");
  const Ran ran = run_on_stub(s, {"run", "net.yaml", "--out", "r"});
  const std::string said = on_one_line(ran.out);
  INFO(ran.err << ran.out);
  CHECK(ran.code == 8);
  CHECK_THAT(said, Contains("torch finds no CUDA device: ") ||
                       Catch::Matchers::Matches(".*SKIPPED: needs torch with CUDA: .*"));
  if (said.find(" is not here; ") != said.npos)
    CHECK_THAT(said, Contains("is not here; the package nvidia-"));
}

}  // namespace cuda_elsewhere_test
}  // namespace benchbench::test
