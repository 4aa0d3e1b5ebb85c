// The equations of docs/device.md on a driver of our own, on the real clock: as
// tests/known_answer/real_clock/device_test.cpp has them on the emulated accelerator. A run has its
// only trial three times; where those, or the machine's own keeping of time, differ by more than
// the tolerance, nothing is judged. What else the machine does only adds time: a step is too long
// where the fastest trial of up to three quiet runs is.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <optional>

#include "tests/bare_loop.h"
#include "tests/golden/cuda/stub_run.h"
#include "tests/skip.h"

namespace benchbench::test {
namespace stub_steps_test {

constexpr double kBatchBytes = 16 * (32 * 32 * 3 + 8);
constexpr int kTries = 3;
constexpr double kWakeUp = 50e-6;  // s, where the host waits for each copy: what waking up late is
                                   // to a step, and 0.5 % of 10 ms
// s, where the device waits for the host each step: to wake up and to enqueue
constexpr double kHandOver = 400e-6;

struct Case {
  const char* what;
  const char *pinned, *non_blocking, *stream;
  int in_flight;
};
const Case kCases[] = {{"pageable, current", "false", "false", "current", 2},
                       {"pageable, own", "false", "false", "own", 2},
                       {"pinned, current", "true", "true", "current", 2},
                       {"pinned, own", "true", "true", "own", 2},
                       {"pinned, blocking, own", "true", "false", "own", 2},
                       {"pinned, one buffer", "true", "true", "own", 1}};

// Copies take a quarter of the step from pinned memory, and half of it from pageable memory.
double copy_of(const Case& c, double step) {
  return std::string_view(c.pinned) == "true" ? step / 4 : step / 2;
}

// Whether a copy is behind the step before: then only the window's first one is not.
bool hidden(const Case& c) { return std::string_view(c.stream) == "own" && c.in_flight == 2; }

// Whether the device has nothing to do until the host has woken up.
bool in_turn(const Case& c) {
  return c.in_flight == 1 || (std::string_view(c.non_blocking) == "false" && !hidden(c));
}

double late(const Case& c) {
  return in_turn(c) ? kHandOver : std::string_view(c.non_blocking) == "false" ? kWakeUp : 0;
}

double known(const Case& c, double step, int steps) {
  return hidden(c) ? step + copy_of(c, step) / steps : step + copy_of(c, step);
}

// Seconds a step, of each of the three.
std::vector<double> steps_of(const Scratch& s, const Case& c, double step, int length,
                             const std::string& run) {
  const auto set = [](const std::string& key, const std::string& value) {
    return key + "=" + value;
  };
  const auto rate = [&](double seconds) { return std::to_string(kBatchBytes / seconds * 1e-9); };
  const Ran ran = run_on_stub(
      s,
      {"run", "stub.yaml", "--out", run, "--set", "measure.modes=trainer", "--set",
       set("measure.window_batches", std::to_string(length)), "--set",
       set("trainer.step_time", std::to_string(1e3 * step) + "ms"), "--set",
       set("loader.pin_memory", c.pinned), "--set", set("trainer.non_blocking", c.non_blocking),
       "--set", set("trainer.copy_stream", c.stream), "--set",
       set("trainer.in_flight", std::to_string(c.in_flight))},
      {{"PINNED_GBPS", rate(step / 4)}, {"PAGEABLE_GBPS", rate(step / 2)}});
  INFO(ran.err << ran.out);
  REQUIRE(ran.code == 0);
  std::vector<double> steps;
  for (const auto& record : journal_of(s, run)) {
    CHECK(record.at("facts").at("steps") == length);
    steps.push_back(record.at("facts").at("window_ns").get<double>() * 1e-9 / length);
  }
  REQUIRE(steps.size() == 3);
  std::ranges::sort(steps);
  return steps;
}

// `length`: steps of a window.
void judge_all(double step, int length, double tolerance) {
  if (!has_kernels()) BENCHBENCH_SKIP("this build has no CUDA kernels");
  Scratch s;
  s.write("stub.yaml",
          "name: stub\nquestion: Does a step take what it should?\n"
          "loader: {use: synthetic, num_workers: 1, batch_size: 16, height: 32, width: 32, "
          "batch_time: 100us, fill: none, wait: sleep}\n"
          "trainer: {use: timed, device: \"cuda:0\", device_wait: block}\n"
          "measure: {rounds: 1, class: selftest, window: 200ms, warmup: 20ms}\n");
  std::string noisy;
  for (const Case& c : kCases) {
    const double answer = known(c, step, length), longest = answer * (1 + tolerance) + late(c);
    std::optional<std::vector<double>>
        steps;  // of the quiet run whose fastest trial is the fastest
    for (int run = 0; run < kTries && !(steps && steps->front() <= longest); ++run) {
      const std::vector<double> seen = steps_of(
          s, c, step, length, "r" + std::to_string(&c - kCases) + "_" + std::to_string(run));
      const double noise = std::max(seen.back() / seen.front() - 1,
                                    lateness_of_a_bare_loop(std::chrono::milliseconds{1}));
      std::printf("%-24s known %7.4f ms, on the stub %7.4f ms (%+.2f %%), A/A %.2f %%\n", c.what,
                  1e3 * answer, 1e3 * seen[1], 100 * (seen[1] / answer - 1), 100 * noise);
      if (noise <= tolerance && (!steps || seen.front() < steps->front())) steps = seen;
    }
    if (!steps) {
      noisy += std::string(c.what) + " ";
      continue;
    }
    INFO(c.what << ": " << 1e3 * steps->front() << " to " << 1e3 * steps->back() << " ms, known "
                << 1e3 * answer);
    CHECK((*steps)[1] >= answer * (1 - tolerance));
    CHECK(steps->front() <= longest);
  }
  if (!noisy.empty()) BENCHBENCH_SKIP("machine too noisy: " + noisy);
}

TEST_CASE("cuda: copies and steps of 10 ms take what the equations say within 0.5 %",
          "[known_answer][cuda]") {
  judge_all(10e-3, 100, 0.005);
}

TEST_CASE("cuda: copies and steps of 1 ms take what the equations say within 1 %",
          "[known_answer][cuda]") {
  judge_all(1e-3, 250, 0.01);
}

}  // namespace stub_steps_test
}  // namespace benchbench::test
