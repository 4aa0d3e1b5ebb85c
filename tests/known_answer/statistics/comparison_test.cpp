// False alarms and what is found: the decision of `compare` on simulated rounds.
#include "harness/analysis/statistics/difference.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/analysis/statistics/statistics.h"
#include "tests/known_answer/statistics/noise.h"

namespace benchbench::known_answer {
namespace comparison_test {

// Both sides of every round interleaved on a shared machine; B `slower` by that share.
ComparedRates interleaved(std::uint32_t rounds, const SharedMachine& machine, double slower,
                          Random& random) {
  ComparedRates r;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    const double round = std::log(100.0) + machine.round * random.normal();
    r.a.push_back(round + noise_of(machine, random));
    r.b.push_back(round + noise_of(machine, random) + std::log1p(-slower));
  }
  return r;
}

bool called(const Comparison& c) {
  return c.difference == Difference::slower || c.difference == Difference::faster;
}

struct Alarms {
  std::size_t whole = 0, p_alone = 0, interval_alone = 0, same = 0;
};

// Each by itself, where q is p: more among one run's would only be stricter.
Alarms alarms_of(std::size_t comparisons, std::uint32_t rounds, bool paired, std::uint64_t seed) {
  Random random(seed);
  Alarms out;
  for (std::size_t i = 0; i < comparisons; ++i) {
    ComparedRates rates = interleaved(rounds, {}, 0, random);
    rates.paired = paired;
    const Comparison c = compare_all(std::span(&rates, 1)).front();
    out.whole += called(c);
    out.p_alone += c.p < 0.05;
    out.interval_alone += c.ratio->low > 1 || c.ratio->high < 1;
    out.same += c.difference == Difference::same;
  }
  return out;
}

TEST_CASE("statistics: 10,000 comparisons of a run with itself raise at most 1 % false alarms",
          "[known_answer][statistics]") {
  constexpr std::size_t kComparisons = 10'000;
  std::printf(
      "A/A, %zu comparisons, rounds off by 5 %%, trials by 2 %%, 2 %% of them slower by 20 %%:\n",
      kComparisons);
  for (const std::uint32_t rounds : {10u, 15u}) {
    const Alarms a = alarms_of(kComparisons, rounds, true, mix_seed(31, rounds));
    std::printf(
        "  %u pairs: %zu false alarms (%.2f %%); p < 0.05 alone would raise %.1f %%, "
        "the interval alone %.1f %%; %.0f %% SAME\n",
        rounds, a.whole, percent(a.whole, kComparisons), percent(a.p_alone, kComparisons),
        percent(a.interval_alone, kComparisons), percent(a.same, kComparisons));
    CHECK(a.whole <= kComparisons / 100);
    CHECK(a.p_alone > kComparisons / 50);  // the rule is what keeps them down
  }
  const Alarms sets = alarms_of(2000, 10, false, 33);
  std::printf("  10 against 10 that are no pairs (2,000): %zu false alarms\n", sets.whole);
  CHECK(sets.whole <= 20);
}

// Looks after 15, 30, 45 and 60 pairs, while it is UNSURE.
Difference go_on_while_unsure(const SharedMachine& machine, double slower, Random& random) {
  ComparedRates rates;
  for (int looks = 0; looks < 4; ++looks) {
    const ComparedRates more = interleaved(15, machine, slower, random);
    rates.a.insert(rates.a.end(), more.a.begin(), more.a.end());
    rates.b.insert(rates.b.end(), more.b.begin(), more.b.end());
    const Comparison c = compare_all(std::span(&rates, 1)).front();
    if (c.difference != Difference::unsure) return c.difference;
  }
  return Difference::unsure;
}

TEST_CASE("statistics: four looks on a busy machine find 10 % and raise at most 1 % false alarms",
          "[known_answer][statistics]") {
  constexpr std::size_t kComparisons = 2000;
  const SharedMachine busy{.round = 0.1, .within = 0.08, .tail_chance = 0.1, .tail = 0.2};
  Random random(37);
  std::size_t alarms = 0, found = 0, found_at_once = 0;
  for (std::size_t i = 0; i < kComparisons; ++i) {
    const Difference same = go_on_while_unsure(busy, 0, random);
    alarms += same == Difference::slower || same == Difference::faster;
    found += go_on_while_unsure(busy, 0.1, random) == Difference::slower;
    const ComparedRates once = interleaved(15, busy, 0.1, random);
    found_at_once += compare_all(std::span(&once, 1)).front().difference == Difference::slower;
  }
  std::printf(
      "  up to 60 pairs: %.2f %% false alarms; 10 %% is found in %.1f %%, by 15 in %.1f %%\n",
      percent(alarms, kComparisons), percent(found, kComparisons),
      percent(found_at_once, kComparisons));
  CHECK(alarms <= kComparisons / 100);
  CHECK(found >= kComparisons * 95 / 100);
  CHECK(found_at_once < kComparisons * 80 / 100);  // the looks are what finds it
}

constexpr std::size_t kStages = 5;
// Read, decode, transform, forward, optimizer: 100 ms in all.
constexpr double kStageMs[kStages] = {8, 35, 12, 40, 5};
constexpr std::uint32_t kInterleaved = 15;

struct Slowed {
  ComparedRates rates;
  std::vector<double> growth[kStages];  // within rounds, of the stage's share of the step
};

// Steps whose stages add up, each off by 1 % by itself; `which` takes `share` of the step more in
// B.
Slowed slowed(std::size_t which, double share, Random& random) {
  Slowed out;
  for (std::uint32_t round = 0; round < kInterleaved; ++round) {
    const double speed = std::exp(0.05 * random.normal());
    double step[2] = {0, 0}, stage[2][kStages];
    for (int side = 0; side < 2; ++side) {
      for (std::size_t s = 0; s < kStages; ++s) {
        const double more = side == 1 && s == which ? share * 100 : 0;
        stage[side][s] = (kStageMs[s] + more) * speed * std::exp(0.01 * random.normal());
        step[side] += stage[side][s];
      }
      // And the whole trial is off by 1 %, stages and all.
      const double trial = std::exp(0.01 * random.normal());
      step[side] *= trial;
      for (double& ms : stage[side]) ms *= trial;
    }
    out.rates.a.push_back(-std::log(step[0]));
    out.rates.b.push_back(-std::log(step[1]));
    for (std::size_t s = 0; s < kStages; ++s)
      out.growth[s].push_back((stage[1][s] - stage[0][s]) / step[0]);
  }
  return out;
}

std::size_t largest_growth(const Slowed& run) {
  std::size_t largest = 0;
  for (std::size_t s = 1; s < kStages; ++s)
    if (mean_of(run.growth[s]) > mean_of(run.growth[largest])) largest = s;
  return largest;
}

struct Found {
  std::size_t clear = 0, named = 0, called = 0;
};
Found found(double share, std::size_t runs) {
  Random random(mix_seed(41, static_cast<std::uint64_t>(1000 * share)));
  Found out;
  for (std::size_t i = 0; i < runs; ++i) {
    const std::size_t which = i % kStages;
    const Slowed run = slowed(which, share, random);
    const Comparison c = compare_all(std::span(&run.rates, 1)).front();
    out.clear += c.ratio->high < 1;
    out.named += largest_growth(run) == which;
    out.called += c.difference == Difference::slower;
  }
  return out;
}

TEST_CASE(
    "statistics: a stage that costs 2 % more is clear and named, one of 4 % passes the whole rule",
    "[known_answer][statistics]") {
  constexpr std::size_t kRuns = 1000;
  std::printf(
      "one stage slower, 1 %% noise of stages and of trials, %u interleaved rounds, %zu runs:\n",
      kInterleaved, kRuns);
  for (const double share : {0.02, 0.04}) {
    const Found f = found(share, kRuns);
    std::printf(
        "  by %.0f %% of the step: interval clear of 0 %.1f of 100, "
        "the stage named %.1f, called SLOWER by the whole rule %.1f\n",
        100 * share, percent(f.clear, kRuns), percent(f.named, kRuns), percent(f.called, kRuns));
    CHECK(f.clear >= kRuns * 95 / 100);
    CHECK(f.named >= kRuns * 90 / 100);
    if (share == 0.04) CHECK(f.called >= kRuns * 95 / 100);
    if (share == 0.02) CHECK(f.called <= kRuns / 20);  // under 3 % is not called
  }
  const Found none = found(0, kRuns);
  std::printf("  by nothing: interval clear %.1f of 100, called %.1f\n", percent(none.clear, kRuns),
              percent(none.called, kRuns));
  CHECK(none.called == 0);
}

// n differences of that spread around `effect`.
ComparedRates spread(std::uint32_t n, double sigma, double effect, bool paired, Random& random) {
  ComparedRates r;
  r.paired = paired;
  for (std::uint32_t i = 0; i < n; ++i) {
    r.a.push_back(paired ? 0 : sigma * random.normal());
    r.b.push_back(effect + sigma * random.normal());
  }
  return r;
}

// What `compare` prints there: the median of a few hundred, since each knows its own spread only.
double printed_detectable(std::uint32_t n, double sigma, bool paired, Random& random) {
  std::vector<double> printed;
  for (int i = 0; i < 501; ++i) {
    const ComparedRates rates = spread(n, sigma, 0, paired, random);
    printed.push_back(*compare_all(std::span(&rates, 1)).front().detectable);
  }
  std::nth_element(printed.begin(), printed.begin() + 250, printed.end());
  return printed[250];
}

TEST_CASE(
    "statistics: a change of the size that is told as detectable is called in 8 of 10 comparisons",
    "[known_answer][statistics]") {
  constexpr std::size_t kComparisons = 3000;
  for (const bool paired : {true, false})
    for (const std::uint32_t n : {10u, 15u})
      for (const double sigma : {0.005, 0.02, 0.04}) {
        Random random(mix_seed(51, n + static_cast<std::uint64_t>(10'000 * sigma)));
        const double told = printed_detectable(n, sigma, paired, random);
        std::size_t calls = 0;
        for (std::size_t i = 0; i < kComparisons; ++i) {
          const ComparedRates rates = spread(n, sigma, std::log1p(told), paired, random);
          calls += called(compare_all(std::span(&rates, 1)).front());
        }
        std::printf("%u %s, noise %.1f %%: %.2f %% is told as detectable, and called in %.1f %%\n",
                    n, paired ? "pairs" : "against as many", 100 * sigma, 100 * told,
                    percent(calls, kComparisons));
        CHECK(calls >= kComparisons * 75 / 100);
        CHECK(calls <= kComparisons * 90 / 100);
      }
}

}  // namespace comparison_test
}  // namespace benchbench::known_answer
