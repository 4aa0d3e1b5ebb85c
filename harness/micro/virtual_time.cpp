// A job of ten hours on the simulated clock: what the discrete-event side costs a step.
#include <benchmark/benchmark.h>

#include "harness/micro/benchmarks.h"
#include "harness/micro/line.h"
#include "harness/micro/row.h"
#include "harness/trial/made_loader.h"

namespace benchbench::micro {
namespace {

constexpr std::uint64_t kSteps = 180'000;  // of 126 ms and of waits: ten hours
constexpr std::uint32_t kWorkers = 8;
constexpr std::uint32_t kSamplesAStep = 32;
const DescribedSettings::Given kLoading = {{"batch_time", "1008ms"},
                                           {"distribution", "exponential"},
                                           {"fill", "none"},
                                           {"height", "1"},
                                           {"width", "1"}};
const DescribedSettings::Given kTraining = {{"step_time", "126ms"},
                                            {"distribution", "exponential"}};

// The whole line as a trial has it, with random times on both sides.
class LongTrial final : public Job {
 public:
  LongTrial(Workbench& bench, Runtime& runtime) : bench_(bench), runtime_(runtime) {}

  void run() override {
    const auto device = make_cpu_device();
    const auto loader =
        make_loader({.catalog = bench_.catalog(),
                     .use = "synthetic",
                     .settings = bench_.settings(PartKind::loader, "synthetic", kLoading),
                     .simulated = true});
    const auto sampler = bench_.sampler("random", loader->layout(), kSamplesAStep);
    const auto trainer =
        bench_.trainer("timed", {.settings = bench_.settings(PartKind::trainer, "timed", kTraining),
                                 .batch = loader->spec(),
                                 .batch_size = kSamplesAStep,
                                 .runtime = runtime_,
                                 .device = *device});
    Line line({.num_workers = kWorkers,
               .batch_size = kSamplesAStep,
               .max_jobs = 2 * kWorkers,
               .meters = {}},
              *loader, *sampler, *trainer, *device, runtime_);
    line.run(kSteps);
  }

 private:
  Workbench& bench_;
  Runtime& runtime_;
};

void virtual_time(benchmark::State& state, Workbench& bench) {
  double simulated = 0;
  for (auto _ : state) {
    const auto runtime = make_simulated_runtime();
    LongTrial trial(bench, *runtime);
    runtime->run(trial);
    simulated = to_seconds(runtime->now().time_since_epoch());
  }
  state.counters["virtual_hours"] = simulated / 3600;
  state.counters["steps"] = static_cast<double>(kSteps);
  state.counters["time_per_step"] = time_of_one(kSteps);
}

}  // namespace

void register_virtual_time(Workbench& bench) {
  benchmark::RegisterBenchmark("virtual_time/ten_hours/workers:8",
                               [&bench](benchmark::State& state) { virtual_time(state, bench); })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(3)
      ->UseRealTime();
}

}  // namespace benchbench::micro
