// One step of a loader that makes nothing and a trainer that does nothing, with all that the trial
// adds, against what timing a step costs anybody: an iteration of Google Benchmark whose time is
// taken by hand.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>

#include "harness/micro/benchmarks.h"
#include "harness/micro/figures/figure.h"
#include "harness/micro/figures/paired.h"
#include "harness/micro/null_line.h"

namespace benchbench::micro {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMockStepRounds = 21;
constexpr std::int64_t kMockSteps = 20'000;  // a millisecond or two

constexpr Figure kFigure{"mock_step", "an iteration of Google Benchmark with manual time", 1.0,
                         nullptr};

// Google Benchmark's loop cannot be entered twice, so our steps are run within it, after each block
// of its iterations.
void compare(benchmark::State& state, NullLine& line) {
  std::vector<double> ours;
  std::vector<double> theirs;
  std::int64_t left = kMockSteps;
  Clock::time_point block = Clock::now();
  for (auto _ : state) {
    const Clock::time_point start = Clock::now();
    const Clock::time_point end = Clock::now();
    state.SetIterationTime(std::chrono::duration<double>(end - start).count());
    if (--left > 0) continue;
    theirs.push_back(seconds_since(block));
    ours.push_back(line.run(kMockSteps));
    left = kMockSteps;
    block = Clock::now();
  }
  const auto ns = [](std::span<const double> seconds) {
    return median_interval(seconds).middle / kMockSteps * 1e9;
  };
  // The first round is not counted.
  const std::span our(ours.begin() + 1, ours.end());
  const std::span their(theirs.begin() + 1, theirs.end());
  state.counters["step_ns"] = ns(our);
  show(state, kFigure,
       {ratios_of(their, our), fmt::format("{:.0f} ns per step", ns(our)),
        fmt::format("{:.0f} ns", ns(their))});
}

}  // namespace

void register_mock_step(Workbench& bench) {
  benchmark::RegisterBenchmark("figures/mock_step",
                               [&bench](benchmark::State& state) {
                                 NullLine line(bench,
                                               {.workers = 0, .batch_size = 1, .observer = 0});
                                 compare(state, line);
                               })
      ->Iterations(kMockSteps * (kMockStepRounds + 1))
      ->UseManualTime();
}

}  // namespace benchbench::micro
