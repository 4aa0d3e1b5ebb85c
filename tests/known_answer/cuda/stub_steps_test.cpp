// The equations of docs/device.md on a driver of our own, on the real clock: as tests/known_answer/real_clock/device_test.cpp has them on
// the emulated accelerator. A run has its only trial three times; where those differ by more than the tolerance, nothing is judged.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/golden/cuda/stub_run.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace stub_steps_test {

// 16 images of 224 x 224 x 3 bytes and 16 labels of 8: c = 1.204 ms from pinned memory, 2.409 ms from pageable memory at 2 and 1 GB/s.
constexpr double kPinned = 16 * (224 * 224 * 3 + 8) / 2e9, kPageable = 2 * kPinned, kStep = 5e-3;
constexpr double kTolerance = 0.02;
constexpr double kHandOver = 400e-6;  // s, where the device waits for the host each step

struct Case {
  const char* what;
  const char *pinned, *non_blocking, *stream;
  int in_flight;
  double known;  // s a step
};
const Case kCases[] = {{"pageable, current", "false", "false", "current", 2, kPageable + kStep},
                       {"pageable, own", "false", "false", "own", 2, kStep},
                       {"pinned, current", "true", "true", "current", 2, kPinned + kStep},
                       {"pinned, own", "true", "true", "own", 2, kStep},
                       {"pinned, blocking, own", "true", "false", "own", 2, kStep},
                       {"pinned, one buffer", "true", "true", "own", 1, kPinned + kStep}};

// Seconds a step, of each of the three.
std::vector<double> steps_of(const Scratch& s, const Case& c, const std::string& run) {
  const auto set = [](const std::string& key, const std::string& value) { return key + "=" + value; };
  const Ran ran = run_on_stub(s,
                              {"run", "stub.yaml", "--out", run, "--set", "measure.modes=trainer", "--set", set("loader.pin_memory", c.pinned),
                               "--set", set("trainer.non_blocking", c.non_blocking), "--set", set("trainer.copy_stream", c.stream), "--set",
                               set("trainer.in_flight", std::to_string(c.in_flight))},
                              {{"PINNED_GBPS", "2"}, {"PAGEABLE_GBPS", "1"}});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  std::vector<double> steps;
  for (const auto& record : journal_of(s, run))
    steps.push_back(record.at("facts").at("window_ns").get<double>() * 1e-9 / record.at("facts").at("steps").get<double>());
  REQUIRE(steps.size() == 3);
  std::ranges::sort(steps);
  return steps;
}

TEST_CASE("cuda: copies and steps take what the equations say", "[known_answer][cuda]") {
  if (!has_kernels()) BENCHBENCH_SKIP("this build has no CUDA kernels");
  Scratch s;
  s.write("stub.yaml",
          "name: stub\nquestion: Does a step take what it should?\n"
          "loader: {use: synthetic, num_workers: 1, batch_size: 16, batch_time: 100us, fill: none, wait: sleep}\n"
          "trainer: {use: timed, device: \"cuda:0\", step_time: 5ms, device_wait: block}\n"
          "measure: {rounds: 1, class: selftest, window: 400ms, window_batches: 100, warmup: 50ms}\n");
  std::string noisy;
  for (const Case& c : kCases) {
    const std::vector<double> steps = steps_of(s, c, "r" + std::to_string(&c - kCases));
    const double noise = steps.back() / steps.front() - 1, off = steps[1] / c.known - 1;
    std::printf("%-24s known %7.3f ms, on the stub %7.3f ms (%+.2f %%), A/A %.2f %%\n", c.what, 1e3 * c.known, 1e3 * steps[1], 100 * off, 100 * noise);
    if (!(noise <= kTolerance)) {
      noisy += std::string(c.what) + " ";
      continue;
    }
    INFO(c.what << ": " << 1e3 * steps[1] << " ms, known " << 1e3 * c.known);
    CHECK(off >= -kTolerance);
    CHECK(off <= kTolerance + (c.in_flight == 1 ? kHandOver / c.known : 0));
  }
  if (!noisy.empty()) BENCHBENCH_SKIP("machine too noisy: " + noisy);
}

}  // namespace stub_steps_test
}  // namespace benchbench::test
