// What looking costs: the same hand-over, mock to mock, at observer levels 0, 1 and 2, in one
// process and in rounds that change which level goes first. In ns a batch, and as a share of a step
// of 1 ms.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>

#include "harness/micro/benchmarks.h"
#include "harness/micro/figures/paired.h"
#include "harness/micro/null_line.h"

namespace benchbench::micro {
namespace {

constexpr int kLevels = 3;
constexpr int kObserverRounds = 31;
// 2–10 ms a level and round: short enough that a machine's moods hit all.
constexpr std::uint64_t kBatches = 4'000;
constexpr double kStepNs = 1e6;

// ns a batch of a line made for it.
double time_at(Workbench& bench, std::uint32_t workers, int level) {
  NullLine line(bench,
                {.workers = workers, .max_jobs = 2 * std::max(1u, workers), .observer = level});
  line.begin_window();
  return line.run(kBatches) * 1e9 / kBatches;
}

// Differences to level 0 within a round, as ratios to it, so that the interval of ratios serves.
void report(benchmark::State& state, const std::vector<std::vector<double>>& times) {
  double base = 0;
  for (const double time : times[0]) base += std::log(time) / kObserverRounds;
  base = std::exp(base);
  std::string label = fmt::format("level 0 {:.0f} ns per batch", base);
  for (std::size_t level = 1; level < kLevels; ++level) {
    const Interval ratio = ratio_interval(ratios_of(times[level], times[0]));
    const double cost = base * (ratio.middle - 1);
    state.counters[fmt::format("level{}_ns", level)] = cost;
    label +=
        fmt::format("; level {} {:+.0f} ns ({:+.0f}..{:+.0f}), {:.4f} % of a step of 1 ms", level,
                    cost, base * (ratio.low - 1), base * (ratio.high - 1), cost / kStepNs * 100);
  }
  state.counters["level0_ns"] = base;
  state.SetLabel(label + fmt::format("; 95 % intervals, {} rounds", kObserverRounds));
}

void observer(benchmark::State& state, Workbench& bench) {
  const auto workers = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    double seconds = 0;
    std::vector<Side> sides;
    for (int level = 0; level < kLevels; ++level)
      sides.push_back([&, level] {
        const double time = time_at(bench, workers, level);
        seconds += time * kBatches * 1e-9;
        return time;
      });
    const auto times = in_rounds(kObserverRounds, sides);
    state.SetIterationTime(seconds);
    report(state, times);
  }
}

}  // namespace

void register_observer(Workbench& bench) {
  benchmark::RegisterBenchmark("observer",
                               [&bench](benchmark::State& state) { observer(state, bench); })
      ->ArgName("workers")
      ->Arg(0)
      ->Arg(1)
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace benchbench::micro
