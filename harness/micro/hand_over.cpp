// The least a batch costs: from a loader that makes nothing to a trainer that does nothing, by the trial's
// own queue, pool, tokens, slots, step loop and books. Beside it two clock reads of the same machine: what
// timing a step costs anybody.
#include <benchmark/benchmark.h>

#include "harness/micro/benchmarks.h"
#include "harness/micro/described_settings.h"
#include "harness/trial/step_loop.h"

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

void hand_over(benchmark::State& state, const Catalog& catalog) {
  const auto workers = static_cast<std::uint32_t>(state.range(0));
  const auto max_jobs = std::max(1U, workers) * static_cast<std::uint32_t>(state.range(1));
  const PartRow& row = *catalog.find(PartKind::loader, "synthetic");
  const DescribedSettings settings(*row.description,
                                   {{"fill", "none"}, {"height", "1"}, {"width", "1"}, {"samples", "65536"}});
  const DescribedSettings no_settings(*catalog.find(PartKind::trainer, "discard")->description, {});
  const auto runtime = make_real_runtime(std::chrono::microseconds{10});
  const auto device = make_cpu_device();
  const auto loader =
      catalog.maker(PartKind::loader, "synthetic").loader({.settings = settings, .dataset = {}});
  const auto sampler = catalog.maker(PartKind::sampler, "sequential")
                           .sampler({.layout = loader->layout(), .settings = settings});
  const auto trainer = catalog.maker(PartKind::trainer, "discard")
                           .trainer({.settings = no_settings,
                                     .batch = loader->spec(),
                                     .batch_size = kBatchSize,
                                     .runtime = *runtime,
                                     .device = *device});
  Supply supply({.num_workers = workers, .batch_size = kBatchSize, .max_jobs = max_jobs, .meters = {}},
                *loader, *sampler, *device, *runtime);
  Conservation books(supply.stream(), loader->layout().samples);
  ThreadMeter meter({});
  StepLoop loop({*runtime, *device, supply, *trainer, books, meter}, true, false);
  supply.start();
  for (auto _ : state) loop.step({});
  supply.stop();
  state.counters["two_clock_reads_ns"] = two_clock_reads(*runtime);
}

}  // namespace

void register_hand_over(const Catalog& catalog) {
  benchmark::RegisterBenchmark("hand_over",
                               [&catalog](benchmark::State& state) { hand_over(state, catalog); })
      ->ArgNames({"workers", "prefetch"})
      ->Args({0, 2})
      ->Args({1, 2})
      ->Args({1, 16})
      ->Args({2, 2})
      ->Args({2, 16})
      ->UseRealTime();
}

}  // namespace benchbench::micro
