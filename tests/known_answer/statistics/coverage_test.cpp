// Do intervals hold the truth as often as they say?
#include <catch2/catch.hpp>

#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/rules/stopping.h"
#include "harness/analysis/statistics/statistics.h"
#include "tests/known_answer/statistics/noise.h"
#include "tests/sweep.h"

namespace benchbench::known_answer {
namespace coverage_test {

constexpr std::size_t kCases = 1000;
constexpr std::uint32_t kRounds[] = {3, 5, 10, 15};

bool holds(const Measured& e, double truth) { return e && e->low <= truth && truth <= e->high; }

// The ratio of two rates that share a random walk of the machine's speed, lognormal noise of 3 % on
// each.
bool ratio_covered(std::uint32_t n, Random& random) {
  ByRound a, b;
  double drift = 0;
  for (std::uint32_t r = 0; r < n; ++r) {
    drift += 0.05 * random.normal();
    a[r] = std::log(150.0) + drift + 0.03 * random.normal();
    b[r] = std::log(100.0) + drift + 0.03 * random.normal();
  }
  return holds(ratio_within_rounds(a, b), 1.5);
}

// A rate alone: its geometric mean over rounds that are each off by 5 %.
bool rate_covered(std::uint32_t n, Random& random) {
  std::vector<double> logs;
  for (std::uint32_t r = 0; r < n; ++r) logs.push_back(std::log(100.0) + 0.05 * random.normal());
  return holds(estimate_from_logs(logs), 100);
}

// A time per step in ms, its arithmetic mean: lognormal with σ 5 %, mean 10.
bool time_covered(std::uint32_t n, Random& random) {
  std::vector<double> ms;
  for (std::uint32_t r = 0; r < n; ++r)
    ms.push_back(10 * std::exp(0.05 * random.normal() - 0.5 * 0.05 * 0.05));
  return holds(estimate_mean(ms), 10);
}

template <class Case>
void check_coverage(const char* what, std::uint64_t seed, Case covered) {
  std::printf("  %-34s", what);
  for (const std::uint32_t n : kRounds) {
    Random random(mix_seed(seed, n));
    std::size_t hits = 0;
    for (std::size_t i = 0; i < kCases; ++i) hits += covered(n, random);
    std::printf("  n=%-2u %.1f %%", n, percent(hits, kCases));
    INFO(what << ", n = " << n);
    CHECK(hits >= 930);
    CHECK(hits <= 970);
  }
  std::printf("\n");
}

TEST_CASE("statistics: 95 % intervals cover the truth in 93 to 97 % of 1,000 simulated cases",
          "[known_answer][statistics]") {
  std::printf("coverage of 95 %% t intervals, %zu cases each:\n", kCases);
  check_coverage("ratio within drifting rounds", 11, ratio_covered);
  check_coverage("rate over rounds (geometric)", 12, rate_covered);
  check_coverage("time over rounds (arithmetic)", 13, time_covered);
}

// One run that goes on until its interval is as narrow as `share`, at most 30 rounds.
struct Stopped {
  bool covered;
  std::uint32_t rounds;
};
template <class Enough>
Stopped run_until(double noise, Random& random, Enough narrow) {
  std::vector<double> logs;
  while (logs.size() < 30) {
    logs.push_back(noise * random.normal());
    if (narrow(logs)) break;
  }
  return {holds(estimate_from_logs(logs), 1.0), static_cast<std::uint32_t>(logs.size())};
}

template <class Enough>
double coverage_at(double noise, Enough narrow, double* mean_rounds) {
  Random random(mix_seed(21, static_cast<std::uint64_t>(1e6 * noise)));
  std::size_t hits = 0, rounds = 0;
  constexpr std::size_t kRuns = 4000;
  for (std::size_t i = 0; i < kRuns; ++i) {
    const Stopped s = run_until(noise, random, narrow);
    hits += s.covered, rounds += s.rounds;
  }
  *mean_rounds = static_cast<double>(rounds) / kRuns;
  return percent(hits, kRuns);
}

TEST_CASE("statistics: what stopping at a narrow interval costs is what stopping.h says",
          "[known_answer][statistics]") {
  constexpr double kAsked = 0.02;
  // As anyone would write it: look from the third round on, stop at the first narrow interval.
  const auto naive = [](const std::vector<double>& logs) {
    const auto e = estimate_from_logs(logs);
    return logs.size() >= 3 && e->high / e->value - 1 <= kAsked;
  };
  const auto guarded = [](const std::vector<double>& logs) { return narrow_enough(logs, kAsked); };
  double worst_naive = 100, worst = 100;
  std::printf(
      "coverage of a 95 %% interval where rounds stop as it is within 2 %% (mean rounds), "
      "by noise of a round:\n");
  // The sample has the noise that costs most, and one to each side of it.
  const std::vector<double> noises =
      test::sweep_size(0, 1) ? std::vector{0.006, 0.01, 0.014, 0.02, 0.026, 0.032, 0.04, 0.05}
                             : std::vector{0.02, 0.032, 0.05};
  for (const double noise : noises) {
    double naive_rounds = 0, rounds = 0;
    const double n = coverage_at(noise, naive, &naive_rounds),
                 g = coverage_at(noise, guarded, &rounds);
    std::printf(
        "  noise %.1f %%: looked at from round 3: %.1f %% (%.1f); as built: %.1f %% (%.1f)\n",
        100 * noise, n, naive_rounds, g, rounds);
    worst_naive = std::min(worst_naive, n), worst = std::min(worst, g);
  }
  CHECK(worst >= 92);
  CHECK(worst_naive < 92);  // what the guard is for
  CHECK(worst > worst_naive + 1);
}

}  // namespace coverage_test
}  // namespace benchbench::known_answer
