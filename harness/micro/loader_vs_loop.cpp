// What the harness costs a real loader: the trial's pool, credits, slots and queue against a bare
// loop of the same fill() on as many threads, in one process, in rounds that alternate which goes
// first.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <numeric>

#include "harness/micro/benchmarks.h"
#include "harness/micro/figures/figure.h"
#include "harness/micro/figures/paired.h"
#include "harness/micro/pool_and_loop.h"
#include "harness/micro/row.h"

namespace benchbench::micro {
namespace {

constexpr int kRounds = 20;

void compare(benchmark::State& state, PoolAndLoop& work) {
  const Side sides[] = {[&] { return work.pool(); }, [&] { return work.loop(); }};
  const auto times = in_rounds(kRounds, sides);
  const auto total = [&](std::size_t side) {
    return std::accumulate(times[side].begin(), times[side].end(), 0.0);
  };
  const double samples = work.samples() * kRounds;
  const double pool = samples / total(0);
  const double loop = samples / total(1);
  const Interval ratio = ratio_interval(ratios_of(times[1], times[0]));
  state.SetIterationTime(total(0));
  state.counters["loop_samples_per_s"] = loop;
  state.counters["pool_samples_per_s"] = pool;
  count_ratio(state, ratio);
  state.SetLabel(fmt::format(
      "pool {:.0f}/s, loop {:.0f}/s: {:.3f} of the loop, 95 % interval {:.3f}..{:.3f}, {} rounds",
      pool, loop, ratio.middle, ratio.low, ratio.high, kRounds));
}

void loader_vs_loop(benchmark::State& state, Workbench& bench, WorkOrder order) {
  if (bench.row(PartKind::loader, order.loader).description->needs_dataset)
    order.dataset = bench.data({.kind = DataKind::image, .samples = 256});
  PoolAndLoop work(bench, order);
  for (auto _ : state) compare(state, work);
}

// JPEG bytes in memory to uint8 rows of 224 x 224, and the cheapest loader that writes its rows:
// there the queue weighs most.
const DescribedSettings::Given kJpeg = {{"residency", "host"},
                                        {"transform.random_resized_crop", "224"}};
const WorkOrder kOrders[] = {{.loader = "native", .settings = kJpeg, .batches = 4},
                             {.loader = "native", .settings = kJpeg, .workers = 2, .batches = 8},
                             {.loader = "synthetic", .batches = 100},
                             {.loader = "synthetic", .workers = 2, .batches = 100}};
}  // namespace
void register_loader_vs_loop(Workbench& bench) {
  for (const WorkOrder& order : kOrders)
    add_row(fmt::format("loader_vs_loop/{}/workers:{}", order.loader, order.workers),
            [&bench, order](benchmark::State& state) { loader_vs_loop(state, bench, order); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

}  // namespace benchbench::micro
