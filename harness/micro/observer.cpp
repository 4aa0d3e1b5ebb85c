// What looking costs: the same hand-over, mock to mock, at observer levels 0, 1 and 2, in one process and in
// rounds that change which level goes first. In ns a batch, and as a share of a step of 1 ms.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/micro/benchmarks.h"
#include "harness/micro/described_settings.h"
#include "harness/micro/interval.h"
#include "harness/trial/step_loop.h"

namespace benchbench::micro {
namespace {

constexpr int kLevels = 3;
constexpr int kObserverRounds = 31;
constexpr std::uint64_t kBatches =
    4'000;  // 2–10 ms a level and round: short enough that a machine's moods hit all
constexpr double kStepNs = 1e6;

// One line of mocks at one level; its workers wait for tokens while another level is measured.
class ObservedLine {
 public:
  ObservedLine(const Catalog& catalog, std::uint32_t workers, int level)
      : settings_(*catalog.find(PartKind::loader, "synthetic")->description,
                  {{"fill", "none"}, {"height", "1"}, {"width", "1"}, {"samples", "65536"}}),
        none_(*catalog.find(PartKind::trainer, "discard")->description, {}),
        loader_(catalog.maker(PartKind::loader, "synthetic").loader({.settings = settings_, .dataset = {}})),
        sampler_(catalog.maker(PartKind::sampler, "sequential")
                     .sampler({.layout = loader_->layout(), .settings = settings_})),
        trainer_(catalog.maker(PartKind::trainer, "discard")
                     .trainer({.settings = none_,
                               .batch = loader_->spec(),
                               .batch_size = 32,
                               .runtime = *runtime_,
                               .device = *device_})),
        supply_({.num_workers = workers,
                 .batch_size = 32,
                 .max_jobs = 2 * std::max(1u, workers),
                 .meters = {.observer = level}},
                *loader_, *sampler_, *device_, *runtime_),
        books_(supply_.stream(), loader_->layout().samples),
        meter_({.observer = level}),
        loop_({*runtime_, *device_, supply_, *trainer_, books_, meter_}, level > 0, false) {
    supply_.start();
    loop_.begin_window(loop_.step({}));
    meter_.keep_values(true);
    supply_.keep_values(true);
  }
  ~ObservedLine() { supply_.stop(); }

  // ns a batch.
  double run() {
    const TimePoint start = runtime_->now();
    for (std::uint64_t i = 0; i < kBatches; ++i) loop_.step({});
    return static_cast<double>((runtime_->now() - start).count()) / kBatches;
  }

 private:
  std::unique_ptr<Runtime> runtime_ = make_real_runtime(std::chrono::microseconds{10});
  std::unique_ptr<Device> device_ = make_cpu_device();
  DescribedSettings settings_, none_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Trainer> trainer_;
  Supply supply_;
  Conservation books_;
  ThreadMeter meter_;
  StepLoop loop_;
};

// Differences to level 0 within a round, as ratios to it, so that the interval of ratios serves.
void report(benchmark::State& state, const std::array<std::vector<double>, kLevels>& times) {
  double base = 0;
  for (const double time : times[0]) base += std::log(time) / kObserverRounds;
  base = std::exp(base);
  std::string label = fmt::format("level 0 {:.0f} ns a batch", base);
  for (std::size_t level = 1; level < kLevels; ++level) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < kObserverRounds; ++round)
      ratios.push_back(times[level][round] / times[0][round]);
    const Interval ratio = ratio_interval(ratios);
    const double cost = base * (ratio.middle - 1);
    state.counters[fmt::format("level{}_ns", level)] = cost;
    label += fmt::format("; level {} {:+.0f} ns ({:+.0f}..{:+.0f}), {:.4f} % of a step of 1 ms", level, cost,
                         base * (ratio.low - 1), base * (ratio.high - 1), cost / kStepNs * 100);
  }
  state.counters["level0_ns"] = base;
  state.SetLabel(label + fmt::format("; 95 % intervals, {} rounds", kObserverRounds));
}

void observer(benchmark::State& state, const Catalog& catalog) {
  const auto workers = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    std::array<std::vector<double>, kLevels> times;
    double seconds = 0;
    for (int round = -1; round < kObserverRounds; ++round)  // the first is not counted
      for (int turn = 0; turn < kLevels; ++turn) {
        const int level = (turn + round + 1) % kLevels;
        const double time = ObservedLine(catalog, workers, level).run();
        if (round >= 0) times[static_cast<std::size_t>(level)].push_back(time);
        seconds += time * kBatches * 1e-9;
      }
    state.SetIterationTime(seconds);
    report(state, times);
  }
}

}  // namespace

void register_observer(const Catalog& catalog) {
  benchmark::RegisterBenchmark("observer", [&catalog](benchmark::State& state) { observer(state, catalog); })
      ->ArgName("workers")
      ->Arg(0)
      ->Arg(1)
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace benchbench::micro
