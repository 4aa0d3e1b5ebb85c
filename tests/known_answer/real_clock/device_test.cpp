// The emulated accelerator on the real clock keeps the times that it has in virtual time, which
// tests/known_answer/device holds to the equations. As in rates_test.cpp, each case first runs
// against itself, and is too slow where its fastest run is.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/bare_loop.h"
#include "tests/known_answer/real_clock/real_trial.h"
#include "tests/skip.h"

namespace benchbench::test::real_device {

constexpr int kRuns = 4;  // A B A B
// s: 10 to 45 us where it was measured, and machines differ eightfold
constexpr double kHandOver = 400e-6;
constexpr double kBatchBytes = 16 * (2 * 2 * 2 + 8);  // as TrialOfMocks has them, labels among them

struct Case {
  const char* what;
  const char *pinned, *non_blocking, *stream, *in_flight, *kernels, *log_every;
};
constexpr Case kCases[] = {{"pageable, current", "false", "false", "current", "2", "1", "none"},
                           {"pageable, own", "false", "false", "own", "2", "1", "none"},
                           {"pinned, current", "true", "true", "current", "2", "1", "none"},
                           {"pinned, own", "true", "true", "own", "2", "1", "none"},
                           {"pinned, blocking", "true", "false", "own", "2", "4", "none"},
                           {"pinned, one buffer", "true", "true", "current", "1", "4", "none"},
                           {"pinned, read back each step", "true", "true", "own", "2", "4", "1"}};

// Copies take a quarter of the step from pinned memory, and half of it from pageable memory.
Trial trial_of(const Case& c, const char* step, double rate, const char* window) {
  char pinned[40], pageable[40];
  std::snprintf(pinned, sizeof pinned, "%.0fB/s", rate);
  std::snprintf(pageable, sizeof pageable, "%.0fB/s", rate / 2);
  TrialOfMocks mocks("synthetic", "timed",
                     {{"loader.num_workers", "1"},
                      {"loader.batch_time", "100us"},
                      {"loader.batch_size", "16"},
                      {"loader.fill", "none"},
                      {"loader.wait", "sleep"},
                      {"loader.pin_memory", c.pinned},
                      {"trainer.device", "emulated"},
                      {"trainer.step_time", step},
                      {"trainer.kernels", c.kernels},
                      {"trainer.non_blocking", c.non_blocking},
                      {"trainer.copy_stream", c.stream},
                      {"trainer.in_flight", c.in_flight},
                      {"trainer.emulated.pinned", pinned},
                      {"trainer.emulated.pageable", pageable},
                      {"measure.window", window},
                      {"measure.window_batches", "5"},
                      {"measure.warmup", "40ms"}});
  if (std::string_view(c.log_every) != "none") mocks.change({{"trainer.log_every", c.log_every}});
  return mocks.trial();
}

double batches_per_second(const TrialRecord& record) {
  REQUIRE(record.status == Status::valid);
  return 1e9 * static_cast<double>(record.facts.window.steps) /
         static_cast<double>(record.facts.window.ns);
}

std::string judge(const Case& c, const char* step, double rate, const char* window,
                  double tolerance) {
  const double known = batches_per_second(run_simulated(trial_of(c, step, rate, window)));
  std::vector<double> rates;
  for (int run = 0; run < kRuns; ++run)
    rates.push_back(batches_per_second(run_on_real_clock(trial_of(c, step, rate, window))));
  std::sort(rates.begin(), rates.end());
  const double noise = std::max(rates.back() / rates.front() - 1,
                                lateness_of_a_bare_loop(std::chrono::milliseconds{1})),
               median = (rates[1] + rates[2]) / 2, off = median / known - 1,
               fastest = rates.back() / known - 1;
  std::printf("%-28s step %-5s known %8.2f/s, real clock %8.2f/s (%+.2f %%), A/A %.2f %%\n", c.what,
              step, known, median, 100 * off, 100 * noise);
  if (!(noise <= tolerance)) return std::string(c.what) + " ";
  INFO(c.what << ": " << median << " batches/s, known " << known);
  // Where the device waits for the host each step, what handing a batch over takes, and waking up,
  // is in the step.
  const bool in_turn = std::string_view(c.in_flight) == "1" || std::string_view(c.log_every) == "1";
  CHECK(off <= tolerance);
  CHECK(fastest >= -tolerance - (in_turn ? kHandOver * known : 0));
  return {};
}

void judge_all(const char* step, double rate, const char* window, double tolerance) {
  std::string noisy;
  for (const Case& c : kCases) noisy += judge(c, step, rate, window, tolerance);
  if (!noisy.empty()) BENCHBENCH_SKIP("machine too noisy: " + noisy);
}

TEST_CASE("real clock: an accelerator's steps of 10 ms keep their times within 0.5 %",
          "[known_answer][real_clock]") {
  judge_all("10ms", kBatchBytes / 2.5e-3, "400ms", 0.005);
}

TEST_CASE("real clock: an accelerator's steps of 1 ms keep their times within 1 %",
          "[known_answer][real_clock]") {
  judge_all("1ms", kBatchBytes / 0.25e-3, "150ms", 0.01);
}

}  // namespace benchbench::test::real_device
