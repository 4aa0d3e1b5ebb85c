// The goals of the hand-over against torch::data's own loader, from the torch module: batches
// without bytes, and made-up images cloned and stacked.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/micro/alone.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/figures/figure.h"
#include "harness/micro/figures/paired.h"
#include "harness/micro/null_line.h"
#include "harness/micro/pool_and_loop.h"

namespace benchbench::micro {
namespace {

// Both sides are made anew for each slice and gone after it, outside of its time: a loader that
// lives on works through the other side's slice until it is as far ahead as it may be, and begins
// its own with that.
constexpr int kNullRounds = 15;
constexpr int kMockRounds = 11;
constexpr std::uint32_t kNullBatchSize = 32;
constexpr const char* kPeer = "libtorch_mock";

double batches_in(LoaderAlone& loader, std::uint64_t batches) {
  const TimePoint start = loader.runtime().now();
  for (std::uint64_t i = 0; i < batches; ++i) loader.make();
  return to_seconds(loader.runtime().now() - start);
}

LoaderOrder peer_order(std::uint32_t workers, std::uint32_t batch_size, const char* collate) {
  return {.name = kPeer,
          .given = {{"collate", collate}, {"samples", "65536"}},
          .batch_size = batch_size,
          .access = "sequential",
          .own_workers = workers};
}

std::unique_ptr<LoaderAlone> new_peer(Workbench& bench, const LoaderOrder& order) {
  auto peer = std::make_unique<LoaderAlone>(bench, order);
  if (!peer->has_own_workers()) throw PartError("loader libtorch_mock has no workers of its own");
  return peer;
}

// As many batches in flight on both sides; ours passes through the whole of a trial's step, the
// peer's next() does not.
template <std::uint32_t workers>
FigureResult null_hand_over(Workbench& bench) {
  // By then the scheduler has given new threads their cores.
  constexpr std::uint64_t kWarmUp = 20'000;
  constexpr std::uint64_t kTorchBatches = 40'000;
  const auto ours = [&] {
    NullLine line(
        bench,
        {.workers = workers, .batch_size = kNullBatchSize, .max_jobs = 2 * workers, .observer = 0});
    line.run(kWarmUp);
    return line.run(kTorchBatches);
  };
  const auto theirs = [&] {
    const auto peer = new_peer(bench, peer_order(workers, kNullBatchSize, "none"));
    batches_in(*peer, kWarmUp);
    return batches_in(*peer, kTorchBatches);
  };
  return measure_in_rounds(kNullRounds, ours, theirs, [](double seconds) {
    return fmt::format("{:.2f} us per batch", seconds / kTorchBatches * 1e6);
  });
}

template <std::uint32_t workers>
FigureResult mock_against_stack(Workbench& bench) {
  const WorkOrder order = mock_work(workers);
  constexpr SteadySlice kSlice{
      .warm_up = 4 * workers, .max = 64, .enough = std::chrono::seconds{1}};
  PoolAndLoop mock(bench, order);
  const auto theirs = [&] {
    const auto peer = new_peer(bench, peer_order(workers, order.batch_size, "stack"));
    return steady_seconds_a_batch(peer->runtime(), kSlice, [&] { peer->make(); });
  };
  return measure_in_rounds(
      kMockRounds, [&] { return mock.steady_pool(kSlice); }, theirs,
      samples_a_second(order.batch_size));
}

constexpr Figure kTorchFigures[] = {
    {"null_hand_over/workers:1/libtorch", "libtorch's DataLoader without collate", 30,
     null_hand_over<1>},
    {"null_hand_over/workers:2/libtorch", "libtorch's DataLoader without collate", 30,
     null_hand_over<2>},
    {"mock_150KBx256/workers:1/libtorch", "libtorch's clone and stack", 25, mock_against_stack<1>},
    {"mock_150KBx256/workers:2/libtorch", "libtorch's clone and stack", 25, mock_against_stack<2>},
};

}  // namespace

void register_figures_against_torch(Workbench& bench) { register_figures(bench, kTorchFigures); }

}  // namespace benchbench::micro
