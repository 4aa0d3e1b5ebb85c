// Rounds of a script that are looked at one after the other: how often the side is wrong, and how
// many it takes, against five fixed rounds with a 95 % interval.
#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#include "harness/analysis/rates/certainty.h"
#include "harness/analysis/statistics/statistics.h"
#include "tests/known_answer/statistics/noise.h"

namespace benchbench::known_answer {
namespace rounds_of_script_test {

constexpr std::size_t kScripts = 4000;
constexpr std::uint32_t kFixed = 5, kMost = 10;
constexpr double kRatios[] = {1.02, 1.1, 1.25, 1.5, 2, 3, 5};

struct Answers {
  std::size_t right = 0, wrong = 0, balanced = 0, rounds = 0;

  void add(Side side, double ratio, double within) {
    right += side == Side::loader;
    balanced += side == Side::balanced;
    wrong += side == Side::trainer || (side == Side::balanced && ratio > 1 + within);
  }
  double rounds_each() const { return static_cast<double>(rounds) / kScripts; }
};

double draw(double ratio, double noise, Random& random) {
  return std::log(ratio) + noise * random.normal();
}

// T/L of each script is `ratio`: the loader is its side.
Answers look_after_each(double ratio, double noise, double spread) {
  Answers all;
  Random random(mix_seed(36, static_cast<std::uint64_t>(1000 * ratio)));
  for (std::size_t i = 0; i < kScripts; ++i) {
    std::vector<double> logs;
    Side side = Side::unknown;
    while (side == Side::unknown && logs.size() < kMost) {
      logs.push_back(draw(ratio, noise, random));
      side = settled_side(logs, spread);
    }
    all.rounds += logs.size();
    all.add(side, ratio, balanced_within(spread));
  }
  return all;
}

Answers look_after_five(double ratio, double noise) {
  Answers all;
  Random random(mix_seed(37, static_cast<std::uint64_t>(1000 * ratio)));
  for (std::size_t i = 0; i < kScripts; ++i) {
    std::vector<double> logs;
    while (logs.size() < kFixed) logs.push_back(draw(ratio, noise, random));
    const Estimate e = *estimate_mean(logs);
    all.add(e.low > 0 ? Side::loader : e.high < 0 ? Side::trainer : Side::unknown, ratio, 0);
  }
  all.rounds = kFixed * kScripts;
  return all;
}

void print(double ratio, const char* what, const Answers& a) {
  std::printf("  T/L %.2f  %-22s %4.1f rounds  right %5.1f %%  balanced %5.1f %%  wrong %.2f %%\n",
              ratio, what, a.rounds_each(), percent(a.right, kScripts),
              percent(a.balanced, kScripts), percent(a.wrong, kScripts));
}

TEST_CASE("rounds of a script: as few as it takes are not wrong more often than five",
          "[known_answer]") {
  for (const double ratio : kRatios) {
    const Answers looked = look_after_each(ratio, kBusySpread, kBusySpread),
                  fixed = look_after_five(ratio, kBusySpread);
    print(ratio, "after each, busy", looked);
    print(ratio, "five, busy", fixed);
    INFO("T/L " << ratio);
    CHECK(looked.wrong <= std::max<std::size_t>(fixed.wrong, kScripts / 200));
    if (ratio >= 3) CHECK(2 * looked.rounds <= fixed.rounds);
    if (ratio >= 2) {
      CHECK(looked.rounds_each() <= 3);
      CHECK(looked.right >= kScripts * 99 / 100);
    }
    if (ratio >= 1.25) CHECK(looked.right >= fixed.right);
  }
}

TEST_CASE("rounds of a script: on a quiet machine half as far apart is far enough",
          "[known_answer]") {
  constexpr double kNoise = kBusySpread / 5;
  for (const double ratio : kRatios) {
    const Answers looked = look_after_each(ratio, kNoise, kQuietSpread);
    print(ratio, "after each, quiet", looked);
    INFO("T/L " << ratio);
    CHECK(looked.wrong <= kScripts / 200);
    if (ratio >= 1.5) CHECK(looked.rounds_each() <= 2.5);
  }
}

TEST_CASE("rounds of a script: of sides alike a busy machine decides most within a quarter",
          "[known_answer]") {
  const Answers looked = look_after_each(1.02, kBusySpread, kBusySpread);
  CHECK(looked.balanced >= kScripts / 2);
}

}  // namespace rounds_of_script_test
}  // namespace benchbench::known_answer
