// The goals of the hand-over against torch::data's own loader, from the torch module: batches without bytes, and made-up
// images cloned and stacked.
#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/micro/alone.h"
#include "harness/micro/benchmarks.h"
#include "harness/micro/figure.h"
#include "harness/micro/null_line.h"
#include "harness/micro/paired.h"
#include "harness/micro/pool_and_loop.h"

namespace benchbench::micro {
namespace {

constexpr int kRounds = 15;
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

void require_own_workers(const LoaderAlone& loader) {
  if (!loader.has_own_workers()) throw PartError("loader libtorch_mock has no workers of its own");
}

// As many batches in flight on both sides; ours passes through the whole of a trial's step, the peer's next() does not.
template <std::uint32_t workers>
Measured null_hand_over(Workbench& bench) {
  constexpr std::uint64_t kBatches = 4'000;
  constexpr std::uint32_t kBatchSize = 32;
  LoaderAlone peer(bench, peer_order(workers, kBatchSize, "none"));
  require_own_workers(peer);
  NullLine line(bench, {.workers = workers, .batch_size = kBatchSize, .max_jobs = 2 * workers, .observer = 0});
  const Side sides[] = {[&] { return line.run(kBatches); }, [&] { return batches_in(peer, kBatches); }};
  const auto times = in_rounds(kRounds, sides);
  const auto us = [](std::span<const double> seconds) {
    return fmt::format("{:.2f} us a batch", median_interval(seconds).middle / kBatches * 1e6);
  };
  return {ratios_of(times[1], times[0]), us(times[0]), us(times[1])};
}

template <std::uint32_t workers>
Measured mock_against_stack(Workbench& bench) {
  constexpr std::uint64_t kBatches = 8;
  constexpr std::uint32_t kBatchSize = 256;
  LoaderAlone peer(bench, peer_order(workers, kBatchSize, "stack"));
  require_own_workers(peer);
  PoolAndLoop mock(bench, {.loader = "synthetic",
                           .settings = {{"height", "224"}, {"width", "224"}, {"fill", "write"}},
                           .workers = workers,
                           .batch_size = kBatchSize,
                           .batches = kBatches});
  const Side sides[] = {[&] { return mock.pool(); }, [&] { return batches_in(peer, kBatches); }};
  const auto times = in_rounds(kRounds, sides);
  const auto rate = [](std::span<const double> seconds) {
    return fmt::format("{:.0f} samples/s", kBatches * kBatchSize / median_interval(seconds).middle);
  };
  return {ratios_of(times[1], times[0]), rate(times[0]), rate(times[1])};
}

constexpr Figure kFigures[] = {
    {"null_hand_over/workers:1/libtorch", "libtorch's DataLoader without collate", 30, null_hand_over<1>},
    {"null_hand_over/workers:2/libtorch", "libtorch's DataLoader without collate", 30, null_hand_over<2>},
    {"mock_150KBx256/workers:1/libtorch", "libtorch's clone and stack", 25, mock_against_stack<1>},
    {"mock_150KBx256/workers:2/libtorch", "libtorch's clone and stack", 25, mock_against_stack<2>},
};

}  // namespace

void register_figures_against_torch(Workbench& bench) { register_figures(bench, kFigures); }

}  // namespace benchbench::micro
