// The least a batch costs, by workers and by batches in flight. Beside it two clock reads of the
// same machine: what timing a step costs anybody.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "harness/micro/benchmarks.h"
#include "harness/micro/null_line.h"
#include "harness/micro/pool_and_loop.h"
#include "harness/micro/row.h"

namespace benchbench::micro {
namespace {

constexpr std::uint32_t kBatchSize = 32;

// ns of two clock reads, now.
double two_clock_reads(Runtime& runtime) {
  constexpr int kReads = 20'000;
  const TimePoint start = runtime.now();
  for (int i = 0; i < 2 * kReads; ++i) benchmark::DoNotOptimize(runtime.now());
  return static_cast<double>((runtime.now() - start).count()) / kReads;
}

void hand_over(benchmark::State& state, Workbench& bench) {
  const auto workers = static_cast<std::uint32_t>(state.range(0));
  const auto max_jobs = std::max(1U, workers) * static_cast<std::uint32_t>(state.range(1));
  NullLine line(bench, {.workers = workers, .batch_size = kBatchSize, .max_jobs = max_jobs});
  for (auto _ : state) line.step();
  count_iterations(state);
  state.counters["two_clock_reads_ns"] = two_clock_reads(line.runtime());
}

}  // namespace

// No workers, then 1, 2, 4 ... up to the cores, two of them at least.
void register_hand_over(Workbench& bench) {
  auto* const row = benchmark::RegisterBenchmark(
      "hand_over", [&bench](benchmark::State& state) { hand_over(state, bench); });
  row->ArgNames({"workers", "prefetch"})->UseRealTime();
  row->Args({0, 2});
  for (int workers = 1; workers <= std::max(2, usable_cores()); workers *= 2)
    for (const int prefetch : {2, 16}) row->Args({workers, prefetch});
}

}  // namespace benchbench::micro
