// What the harness costs a real loader: the trial's pool, tokens, slots and queue against a bare loop of the
// same fill() on as many threads, in one process, in rounds that alternate which goes first.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sched.h>

#include <vector>

#include "harness/core/error.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/described_settings.h"
#include "harness/micro/image_set.h"
#include "harness/micro/interval.h"
#include "harness/micro/plain_loop.h"

namespace benchbench::micro {
namespace {

constexpr int kRounds = 20;

struct Case {
  std::string loader;
  DescribedSettings::Given settings;
  std::uint32_t workers;
  std::uint32_t batch_size;
  std::uint64_t batches;  // of one side in one round
};

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// As the executor chooses it: watching for a wake-up pays where each thread has a core.
std::unique_ptr<Runtime> runtime_for(std::uint32_t workers) {
  return make_real_runtime(static_cast<int>(workers) < usable_cores() ? std::chrono::microseconds{10}
                                                                      : Nanoseconds{0});
}

// From the start of the workers until as many batches are got.
Nanoseconds time_of_pool(const PlainLoop::Order& order) {
  Supply supply(order.options, order.loader, order.sampler, order.device, order.runtime);
  const TimePoint start = order.runtime.now();
  supply.start();
  for (std::uint64_t i = 0; i < order.batches; ++i) supply.get({});
  const Nanoseconds time = order.runtime.now() - start;
  supply.stop();
  return time;
}

struct Rates {
  std::vector<double> ratios;
  double loop_seconds = 0;
  double pool_seconds = 0;
};

Rates measure(const PlainLoop::Order& order) {
  PlainLoop loop(order);
  loop.run();  // caches, frequency, the allocator: not counted
  time_of_pool(order);
  Rates rates;
  for (int round = 0; round < kRounds; ++round) {
    const bool loop_first = round % 2 == 0;
    const double first = to_seconds(loop_first ? loop.run() : time_of_pool(order));
    const double second = to_seconds(loop_first ? time_of_pool(order) : loop.run());
    const double loop_time = loop_first ? first : second;
    const double pool_time = loop_first ? second : first;
    rates.ratios.push_back(loop_time / pool_time);
    rates.loop_seconds += loop_time;
    rates.pool_seconds += pool_time;
  }
  return rates;
}

void report(benchmark::State& state, const Case& its, const Rates& rates) {
  const double samples = static_cast<double>(its.batches) * its.batch_size * kRounds;
  const Interval ratio = ratio_interval(rates.ratios);
  state.counters["loop_samples_per_s"] = samples / rates.loop_seconds;
  state.counters["pool_samples_per_s"] = samples / rates.pool_seconds;
  state.counters["ratio"] = ratio.middle;
  state.counters["ratio_low"] = ratio.low;
  state.counters["ratio_high"] = ratio.high;
  state.SetLabel(
      fmt::format("pool {:.0f}/s, loop {:.0f}/s: {:.3f} of the loop, 95 % interval {:.3f}..{:.3f}, {} rounds",
                  samples / rates.pool_seconds, samples / rates.loop_seconds, ratio.middle, ratio.low,
                  ratio.high, kRounds));
}

void compare(benchmark::State& state, const Catalog& catalog, const Case& its, DatasetPlace place) {
  const PartMaker& maker = catalog.maker(PartKind::loader, its.loader);
  const DescribedSettings settings(*catalog.find(PartKind::loader, its.loader)->description, its.settings);
  const auto runtime = runtime_for(its.workers);
  const auto device = make_cpu_device();
  const auto loader = maker.loader({.settings = settings,
                                    .dataset = place,
                                    .batch_size = its.batch_size,
                                    .num_workers = its.workers,
                                    .catalog = &catalog});
  const auto sampler =
      catalog.maker(PartKind::sampler, "random").sampler({.layout = loader->layout(), .settings = settings});
  const SupplyOptions options{
      .num_workers = its.workers, .batch_size = its.batch_size, .max_jobs = 2 * its.workers, .meters = {}};
  const Rates rates = measure({*loader, *sampler, *device, *runtime, options, its.batches});
  report(state, its, rates);
  state.SetIterationTime(rates.pool_seconds);
}

void loader_vs_loop(benchmark::State& state, const Catalog& catalog, const Case& its) {
  for (auto _ : state) {
    try {
      if (!catalog.find(PartKind::loader, its.loader))
        throw PartError("this build has no loader " + its.loader);
      if (catalog.find(PartKind::loader, its.loader)->description->needs_dataset) {
        const ImageSet images(catalog, 256);
        compare(state, catalog, its, images.place());
      } else {
        compare(state, catalog, its, {});
      }
    } catch (const Error& error) {
      state.SkipWithError(error.what());
    }
  }
}

}  // namespace

// JPEG bytes in memory to uint8 rows of 224 x 224, and the cheapest loader that writes its rows: there the
// queue weighs most.
void register_loader_vs_loop(const Catalog& catalog) {
  const DescribedSettings::Given jpeg = {{"residency", "host"}, {"transform.random_resized_crop", "224"}};
  const Case cases[] = {{"native", jpeg, 1, 32, 8},
                        {"native", jpeg, 2, 32, 16},
                        {"synthetic", {}, 1, 32, 100},
                        {"synthetic", {}, 2, 32, 100}};
  for (const Case& its : cases)
    benchmark::RegisterBenchmark(
        fmt::format("loader_vs_loop/{}/workers:{}", its.loader, its.workers).c_str(),
        [&catalog, its](benchmark::State& state) { loader_vs_loop(state, catalog, its); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

}  // namespace benchbench::micro
