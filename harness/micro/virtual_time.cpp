// A job of ten hours on the simulated clock: what the discrete-event side costs a step.
#include <benchmark/benchmark.h>

#include "harness/micro/benchmarks.h"
#include "harness/micro/described_settings.h"
#include "harness/micro/row.h"
#include "harness/trial/made_loader.h"
#include "harness/trial/step_loop.h"

namespace benchbench::micro {
namespace {

constexpr std::uint64_t kSteps = 180'000;  // of 126 ms and of waits: ten hours
constexpr std::uint32_t kWorkers = 8;
constexpr std::uint32_t kSamplesAStep = 32;

// The whole line as a trial has it, with random times on both sides.
class LongTrial final : public Job {
 public:
  LongTrial(const Catalog& catalog, Runtime& runtime) : catalog_(catalog), runtime_(runtime) {}

  void run() override {
    const DescribedSettings loading(*catalog_.find(PartKind::loader, "synthetic")->description,
                                    {{"batch_time", "1008ms"},
                                     {"distribution", "exponential"},
                                     {"fill", "none"},
                                     {"height", "1"},
                                     {"width", "1"}});
    const DescribedSettings training(*catalog_.find(PartKind::trainer, "timed")->description,
                                     {{"step_time", "126ms"}, {"distribution", "exponential"}});
    const auto device = make_cpu_device();
    const auto loader = make_loader(
        {.catalog = catalog_, .use = "synthetic", .settings = loading, .simulated = true});
    const auto sampler = catalog_.maker(PartKind::sampler, "random")
                             .sampler({.layout = loader->layout(), .settings = loading});
    const auto trainer = catalog_.maker(PartKind::trainer, "timed")
                             .trainer({.settings = training,
                                       .batch = loader->spec(),
                                       .batch_size = kSamplesAStep,
                                       .runtime = runtime_,
                                       .device = *device});
    Supply supply({.num_workers = kWorkers,
                   .batch_size = kSamplesAStep,
                   .max_jobs = 2 * kWorkers,
                   .meters = {}},
                  *loader, *sampler, *device, runtime_);
    SampleAccounting accounting(supply.stream(), loader->layout().samples);
    ThreadMeter meter({});
    StepLoop loop({runtime_, supply, *trainer, accounting, meter}, true, false);
    supply.start();
    for (std::uint64_t step = 0; step < kSteps; ++step) loop.step({});
    supply.stop();
  }

 private:
  const Catalog& catalog_;
  Runtime& runtime_;
};

void virtual_time(benchmark::State& state, const Catalog& catalog) {
  double simulated = 0;
  for (auto _ : state) {
    const auto runtime = make_simulated_runtime();
    LongTrial trial(catalog, *runtime);
    runtime->run(trial);
    simulated = to_seconds(runtime->now().time_since_epoch());
  }
  state.counters["virtual_hours"] = simulated / 3600;
  state.counters["steps"] = static_cast<double>(kSteps);
  state.counters["time_per_step"] = time_of_one(kSteps);
}

}  // namespace

void register_virtual_time(const Catalog& catalog) {
  benchmark::RegisterBenchmark(
      "virtual_time/ten_hours/workers:8",
      [&catalog](benchmark::State& state) { virtual_time(state, catalog); })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(3)
      ->UseRealTime();
}

}  // namespace benchbench::micro
