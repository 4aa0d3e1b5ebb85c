// N ranks that meet after every step: with exponential times it costs H_N = 1 + 1/2 + ... + 1/N
// times the mean.
#include "harness/core/barrier.h"

#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/known_answer/chain/batch_means.h"
#include "tests/unit/core/jobs.h"

namespace benchbench::test::ranks {

constexpr std::uint64_t kSteps = 50'000;

// Time from each meeting to the next, in units; the longest of independent times, so each is
// independent of the last.
std::vector<double> meetings(std::uint32_t ranks, std::uint64_t seed) {
  const auto runtime = make_simulated_runtime();
  std::vector<double> between;
  run_simulated(*runtime, [&] {
    Barrier barrier(*runtime, ranks);
    std::vector<std::unique_ptr<Work>> works;
    std::vector<std::unique_ptr<Task>> tasks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      works.push_back(std::make_unique<Work>([&, rank] {
        Random random(mix_seed(seed, rank));
        TimePoint last = runtime->now();
        for (std::uint64_t step = 0; step < kSteps; ++step) {
          runtime->spend(Nanoseconds{std::llround(random.exponential(kUnit))}, Spend::sleep);
          barrier.arrive_and_wait();
          if (rank == 0)
            between.push_back(static_cast<double>((runtime->now() - last).count()) / kUnit);
          last = runtime->now();
        }
      }));
      tasks.push_back(runtime->spawn("rank", *works.back()));
    }
    for (auto& task : tasks) task->join();
  });
  return between;
}

TEST_CASE("a barrier over N exponential ranks costs H_N times the mean", "[known_answer][chain]") {
  double harmonic = 0;
  std::uint32_t counted = 0;
  for (const std::uint32_t ranks : {1u, 2u, 4u, 8u, 16u}) {
    while (counted < ranks) harmonic += 1.0 / ++counted;
    const Estimate step = estimate(meetings(ranks, mix_seed(20261109, ranks)));
    std::printf("%u ranks: known %.4f, measured %.4f +- %.4f\n", ranks, harmonic, step.mean,
                step.error);
    CHECK(std::abs(step.mean - harmonic) <= 3 * step.error);
    if (ranks == 8) CHECK(harmonic == Approx(2.718).margin(0.0005));
  }
}

}  // namespace benchbench::test::ranks
