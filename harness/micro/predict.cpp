// The pipeline's rate from its pieces alone beside the one measured: what reading a sample and what
// making its row of it take on as many threads as there are workers, what handing a batch over
// takes, what a step takes. The pieces are measured in the same rounds as the whole. Decoding and
// cropping are one piece: only what the crop needs is decoded, so what each takes without the other
// (decode/...) adds up to a tenth more than both together.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/micro/alone.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/figures/paired.h"
#include "harness/micro/null_line.h"
#include "harness/micro/pool_and_loop.h"
#include "harness/micro/reading_threads.h"
#include "harness/micro/row.h"
#include "harness/micro/small_trial.h"

namespace benchbench::micro {
namespace {

constexpr int kPredictRounds = 13;
constexpr std::uint32_t kPredictBatchSize = 32;
constexpr std::uint64_t kPredictSamples = 256;
constexpr std::uint64_t kNullSteps = 4'000;

struct Case {
  std::uint32_t workers;
  // The timed trainer's, in times that a batch is predicted to take; 0: a trainer that does
  // nothing.
  double step;
};

std::string name_of(const Case& its) {
  if (its.step == 0) return fmt::format("predict/L/workers:{}", its.workers);
  return fmt::format("predict/F/workers:{}/step:{}", its.workers, its.step);
}

WorkOrder work(Workbench& bench, std::uint32_t workers) {
  return {.loader = "native",
          .settings = {{"residency", "host"}},
          .dataset = bench.data({.kind = DataKind::image, .samples = kPredictSamples}),
          .workers = workers,
          .batch_size = kPredictBatchSize,
          .batches = 3 * workers};
}

// Of one worker, with all of them at work.
class Pieces {
 public:
  Pieces(Workbench& bench, std::uint32_t workers)
      : workers_(workers), make_(bench, work(bench, workers)) {
    archive_ = bench.open(bench.data({.kind = DataKind::image, .samples = kPredictSamples}));
  }
  // Seconds a sample of a worker's time.
  double read() {
    return read_all(*archive_, by_archive(false), workers_, 2) * workers_ / (2.0 * kPredictSamples);
  }
  double make() { return make_.loop() * workers_ / make_.samples(); }

 private:
  std::uint32_t workers_;
  std::unique_ptr<SampleArchive> archive_;
  PoolAndLoop make_;  // its bytes in memory
};

// Workers share the batches; each spends its samples' time and its hand-over on one.
double loader_time(double sample, double hand_over, std::uint32_t workers) {
  return (sample * kPredictBatchSize + hand_over) / workers;
}

double hand_over_time(Workbench& bench, std::uint32_t workers) {
  NullLine line(bench,
                {.workers = workers, .batch_size = kPredictBatchSize, .max_jobs = 16 * workers});
  line.run(kNullSteps);
  std::vector<double> times;
  for (int i = 0; i < kPredictRounds; ++i) times.push_back(line.run(kNullSteps) / kNullSteps);
  return median_interval(times).middle;
}

struct Outcome {
  std::vector<double> predicted{}, measured{};  // samples a second, by round
  double read = 0, make = 0, hand_over = 0, step = 0;

  // A round's seconds: of a sample by its pieces, and of a batch of the whole.
  void add(double sample, double batch, std::uint32_t workers) {
    const double loader = loader_time(sample, hand_over, workers);
    predicted.push_back(kPredictBatchSize / std::max(loader, step + hand_over));
    measured.push_back(kPredictBatchSize / batch);
  }
};

// Steps of the timed trainer alone, on a batch that is there.
double step_time(Workbench& bench, double asked) {
  if (asked == 0) return 0;
  constexpr int kPredictSteps = 5;
  const DescribedSettings& settings = SmallTrial::timed(bench, asked);
  LoaderAlone food(bench, {.name = "synthetic", .batch_size = kPredictBatchSize});
  TrainerAlone alone(bench, "timed", settings, food);
  const TimePoint start = food.runtime().now();
  for (int i = 0; i < kPredictSteps; ++i) alone.step();
  alone.trainer().finish();
  return to_seconds(food.runtime().now() - start) / kPredictSteps;
}

Outcome predict(Workbench& bench, const Case& its) {
  if (static_cast<int>(its.workers) > usable_cores())
    throw PartError("fewer cores than workers: the pieces would not run side by side");
  Pieces pieces(bench, its.workers);
  const double hand_over = hand_over_time(bench, its.workers);
  const double first = pieces.read() + pieces.make();
  const double asked = its.step * loader_time(first, hand_over, its.workers);
  const double step = step_time(bench, asked);
  SmallTrial trial(bench, {.work = work(bench, its.workers), .step_time = asked});
  const Side sides[] = {[&] { return pieces.read(); }, [&] { return pieces.make(); },
                        [&] { return trial.seconds_a_batch(); }};
  const auto times = in_rounds(kPredictRounds, sides);
  Outcome outcome{.read = median_interval(times[0]).middle,
                  .make = median_interval(times[1]).middle,
                  .hand_over = hand_over,
                  .step = step};
  for (std::size_t round = 0; round < kPredictRounds; ++round)
    outcome.add(times[0][round] + times[1][round], times[2][round], its.workers);
  return outcome;
}

void report(benchmark::State& state, const Outcome& outcome) {
  const double predicted = median_interval(outcome.predicted).middle;
  const double measured = median_interval(outcome.measured).middle;
  const Interval ratio = median_interval(ratios_of(outcome.predicted, outcome.measured));
  const auto percent = [](double r) { return (r - 1) * 100; };
  state.counters["predicted"] = predicted;
  state.counters["measured"] = measured;
  state.counters["error_percent"] = percent(ratio.middle);
  state.SetLabel(
      fmt::format("predicted {:.0f} samples/s, measured {:.0f}: error {:+.1f} %, 95 % interval "
                  "{:+.1f}..{:+.1f}, {} rounds; read {:.0f}, decode and transform {:.0f} us per "
                  "sample, hand-over {:.1f} us per batch, step {:.2f} ms",
                  predicted, measured, percent(ratio.middle), percent(ratio.low),
                  percent(ratio.high), kPredictRounds, outcome.read * 1e6, outcome.make * 1e6,
                  outcome.hand_over * 1e6, outcome.step * 1e3));
}

}  // namespace

void register_predictions(Workbench& bench) {
  for (const Case& its :
       {Case{1, 0}, Case{2, 0}, Case{1, 0.5}, Case{1, 1}, Case{1, 1.5}, Case{2, 1.5}})
    add_row(name_of(its),
            [&bench, its](benchmark::State& state) {
              for (auto _ : state) report(state, predict(bench, its));
            })
        ->Iterations(1)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
}

}  // namespace benchbench::micro
