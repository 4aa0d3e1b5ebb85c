// Does the 95 % interval of a run's rounds hold the truth in 95 of 100 runs? Runs of mocks with
// exponential times, whose throughput is known, by the executor in virtual time and the report's
// own interval. BENCHBENCH_COVERAGE_RUNS=2000 asks for more runs than the 100 of every day and the
// 200 of scripts/test --all, and holds each row to 93 to 97 %.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/core/random.h"
#include "tests/known_answer/chain/closed_forms.h"
#include "tests/sweep.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::chain_coverage {

struct CoverageRow {
  std::uint32_t workers, buffer;
  double make, step;  // ms
};
constexpr CoverageRow kCoverageRows[] = {{1, 0, 1, 1},        {1, 1, 1, 1},   {1, 2, 1, 1},
                                         {1, 8, 1, 1},        {1, 2, 0.5, 1}, {4, 4, 4, 1},
                                         {4, 8, 10.0 / 3, 1}, {8, 2, 8, 1}};
constexpr std::uint32_t kRoundsOfARun = 10;

// Steps of about 1 ms. A line forgets within some 20 of them, so 100 before the window are enough;
// the bias of a window of 500 (of the logarithm of its rate, about -1/1000 of it) is a fifteenth of
// the standard error of 10 rounds.
Trial line_of(const CoverageRow& row, std::uint64_t seed) {
  const auto ms = [](double time) { return std::to_string(std::llround(time * 1e6)) + "ns"; };
  TrialOfMocks mocks("synthetic", "timed",
                     {{"loader.num_workers", std::to_string(row.workers)},
                      {"loader.max_jobs", std::to_string(row.workers + row.buffer)},
                      {"loader.batch_size", "1"},
                      {"loader.in_order", "false"},
                      {"loader.batch_time", ms(row.make)},
                      {"loader.distribution", "exponential"},
                      {"trainer.step_time", ms(row.step)},
                      {"trainer.distribution", "exponential"},
                      {"measure.seed", std::to_string(seed)},
                      {"measure.observer", "0"},
                      {"measure.warmup", "100ms"},
                      {"measure.window", "500ms"}});
  return mocks.trial();
}

Measured rate_of_run(const CoverageRow& row, std::uint64_t seed) {
  const Trial trial = line_of(row, seed);
  std::vector<double> logs;
  for (std::uint32_t round = 0; round < kRoundsOfARun; ++round)
    logs.push_back(log_rate(run_simulated(trial, {0, round, 0}).facts).value());
  return estimate_from_logs(logs);
}

std::size_t runs_asked_for() {
  const char* text = std::getenv("BENCHBENCH_COVERAGE_RUNS");
  return text ? static_cast<std::size_t>(std::atoll(text)) : sweep_size(100, 200);
}

// By how much a share of so many runs may be off the 95 %: by three standard errors, of which one
// count in 370 is farther off, and by 2 % at the least, for the bias of the window.
double margin_of(std::size_t runs) {
  return std::max(0.02, 3 * std::sqrt(0.95 * 0.05 / static_cast<double>(runs)));
}

// The seeds are fixed, so the counts are too. Of 100 runs a row's share may be off by 6.5 %, that
// of all eight together by 2.3 %. An interval of 90 % gives 90 % together, which passes once in
// 150; the same draws in every round give 0.
TEST_CASE("rounds: 95 % intervals of 10 rounds hold the chain's known throughput in 95 % of runs",
          "[known_answer][chain]") {
  const std::size_t runs = runs_asked_for();
  REQUIRE(runs >= 100);
  std::size_t all = 0;
  std::printf(
      "W B loader trainer | truth | runs whose 95 %% interval of %u rounds holds it, of %zu | mean "
      "over truth | half width\n",
      kRoundsOfARun, runs);
  std::uint64_t of_row = 0;
  for (const CoverageRow& row : kCoverageRows) {
    const double truth =
        1000 * chain_with_buffer(row.workers, row.buffer, row.make, row.step).throughput;
    std::size_t held = 0;
    double mean = 0, width = 0;
    for (std::size_t run = 0; run < runs; ++run) {
      const Measured rate = rate_of_run(row, mix_seed(20261122, of_row, run) >> 12);
      REQUIRE(rate);
      REQUIRE(rate->n == kRoundsOfARun);
      held += rate->low <= truth && truth <= rate->high;
      mean += std::log(rate->value / truth);
      width += std::log(rate->high / rate->low) / 2;
    }
    ++of_row;
    all += held;
    const double share = static_cast<double>(held) / static_cast<double>(runs),
                 n = static_cast<double>(runs);
    std::printf("%u %u %6.4f %g | %.3f | %.2f %% | %+.4f %% | %.2f %%\n", row.workers, row.buffer,
                row.make, row.step, truth, 100 * share, 100 * mean / n, 100 * width / n);
    INFO(row.workers << " workers, buffer " << row.buffer << ", loader " << row.make << ": " << held
                     << " of " << runs);
    CHECK(std::abs(share - 0.95) <= margin_of(runs));
  }
  const std::size_t all_runs = runs * std::size(kCoverageRows);
  const double together = static_cast<double>(all) / static_cast<double>(all_runs);
  std::printf("together %.2f %%\n", 100 * together);
  CHECK(std::abs(together - 0.95) <= margin_of(all_runs));
}

}  // namespace benchbench::test::chain_coverage
