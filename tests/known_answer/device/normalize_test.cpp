// Images whose normalisation is left to the step: one kernel more, as long as a byte read and four
// written for each value take.
#include <catch2/catch.hpp>

#include "harness/config/scenario_file.h"
#include "harness/selftest/fault_run.h"
#include "tests/places.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::device_normalize {
namespace {

using Sets = std::vector<std::pair<std::string, std::string>>;

constexpr double kBatchBytes = 64 * (224.0 * 224 * 3 + 8), kImageBytes = 64 * 224.0 * 224 * 3;
constexpr double kCopy = kBatchBytes / 12.3e6, kCall = 0.003, kStep = 2.5;  // ms

double normalizing(double rate) { return 5 * kImageBytes / rate * 1e3; }

double ms_of(Sets sets) {
  ScenarioRequest request;
  request.path = source_path("configs/device.yaml");
  request.sets = {{"loader.pin_memory", "true"},
                  {"trainer.non_blocking", "true"},
                  {"measure.window_batches", "20000"},
                  {"loader.normalize_on_device", "true"}};
  for (auto& set : sets) request.sets.push_back({set.first, set.second});
  Scenario scenario = load_scenario(request, built_in_catalog());
  scenario.axes.clear();
  return selftest::virtual_step_ms(scenario, built_in_catalog());
}

}  // namespace

TEST_CASE("device: normalising is a kernel before those of the step", "[known_answer][device]") {
  const double usual = normalizing(0.9e12);  // of pcie3_x16
  CHECK(usual == Approx(0.0535).epsilon(1e-3));
  CHECK(ms_of({{"trainer.copy_stream", "own"}}) == Approx(kStep + usual).epsilon(5e-5));
  CHECK(ms_of({{"trainer.copy_stream", "current"}}) == Approx(kCopy + kStep + usual).epsilon(5e-5));
  CHECK(ms_of({{"trainer.copy_stream", "own"}, {"trainer.in_flight", "1"}}) ==
        Approx(kCall + kCopy + usual + kStep).epsilon(5e-5));
  CHECK(ms_of({{"trainer.copy_stream", "own"}, {"loader.normalize_on_device", "false"}}) ==
        Approx(kStep).epsilon(5e-5));
}

// 16 images of 2 x 2 x 2 values, five bytes each, at 1 MB/s: 640 us.
TEST_CASE("device: normalising is billed to the step's forward, and to each step once",
          "[known_answer][device]") {
  const auto forward_of = [](const char* on_device) {
    const TrialOfMocks mocks("synthetic", "timed",
                             {{"loader.num_workers", "1"},
                              {"loader.batch_size", "16"},
                              {"loader.pin_memory", "true"},
                              {"loader.normalize_on_device", on_device},
                              {"trainer.device", "emulated"},
                              {"trainer.non_blocking", "true"},
                              {"trainer.copy_stream", "own"},
                              {"trainer.step_time", "5ms"},
                              {"trainer.emulated.pinned", "1MB/s"},
                              {"trainer.emulated.memory_rate", "1MB/s"},
                              {"measure.window", "1s"},
                              {"measure.window_batches", "100"},
                              {"measure.warmup", "100ms"}});
    const TrialRecord record = run_simulated(mocks.trial());
    const auto& forward = record.facts.window.stages[static_cast<std::size_t>(Stage::forward)];
    CHECK(forward.count ==
          record.facts.window.steps * (std::string_view(on_device) == "true" ? 2 : 1));
    return static_cast<double>(forward.ns) / static_cast<double>(record.facts.window.steps);
  };
  CHECK(forward_of("false") == Approx(5e6));
  // A window's first step has its launch in it: the device was idle.
  CHECK(forward_of("true") == Approx(5e6 + 640e3).epsilon(1e-5));
}

TEST_CASE("device: slow memory makes normalising the step", "[known_answer][device]") {
  for (const double rate : {10e9, 37e9, 250e9}) {
    CAPTURE(rate);
    CHECK(ms_of({{"trainer.copy_stream", "own"},
                 {"trainer.emulated.memory_rate", std::to_string(rate / 1e9) + "GB/s"}}) ==
          Approx(kStep + normalizing(rate)).epsilon(5e-5));
  }
}

TEST_CASE("device: normalising is a launch, which the host pays for", "[known_answer][device]") {
  // 1,001 launches of 3 us and one copy call against 1 ms of work.
  CHECK(ms_of({{"trainer.copy_stream", "own"},
               {"trainer.kernels", "1000"},
               {"trainer.step_time", "1ms"}}) == Approx(1001 * 0.003 + kCall).epsilon(1e-4));
}

TEST_CASE("device: the normalised images need memory of their own", "[known_answer][device]") {
  // Two buffers of 9.63 MB, images as float32 of 38.5 MB and a loss.
  CHECK_NOTHROW(ms_of({{"trainer.emulated.memory", "57805000B"}}));
  CHECK_THROWS_WITH(ms_of({{"trainer.emulated.memory", "57000000B"}}),
                    Catch::Contains("out of device memory"));
  CHECK_NOTHROW(
      ms_of({{"trainer.emulated.memory", "57000000B"}, {"loader.normalize_on_device", "false"}}));
}

TEST_CASE("device: batches dropped there are as late as the loader or their copies",
          "[known_answer][device]") {
  const auto dropped = [](const char* at, const char* period) {
    return ms_of({{"trainer.use", "discard"},
                  {"trainer.at", at},
                  {"trainer.copy_stream", "own"},
                  {"loader.num_workers", "1"},
                  {"loader.batch_time", period}});
  };
  CHECK(dropped("device", "100us") == Approx(kCopy).epsilon(1e-4));
  CHECK(dropped("device", "2ms") == Approx(2).epsilon(1e-4));
  CHECK(dropped("host", "100us") == Approx(0.1).epsilon(1e-4));
}

TEST_CASE("device: float32 images have nothing left to normalise", "[known_answer][device]") {
  CHECK_THROWS_WITH(ms_of({{"loader.dtype", "float32"}}),
                    Catch::Contains("normalize_on_device is of uint8 images"));
  CHECK_THROWS_WITH(ms_of({{"loader.channels", "5"}}), Catch::Contains("1 to 4 channels, not 5"));
}

}  // namespace benchbench::test::device_normalize
