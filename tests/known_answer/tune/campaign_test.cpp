// Two hundred simulated tunes: what they find by true rates, and what they cost.
// BENCHBENCH_TUNE_SEED=<number> reports those of another seed, which nothing is asked of.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "tests/known_answer/tune/simulated_tune.h"
#include "tests/known_answer/tune/surfaces.h"

namespace benchbench::known_answer {
namespace campaign_test {

using namespace benchbench::test;

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kPerFamily = 25;
constexpr double kGood = 0.97;     // of the grid's best, by true rates
constexpr double kFewGood = 0.05;  // of the points

struct Campaign {
  std::vector<double> quality, cost;  // cost as a share of the grid's
  std::size_t few_good = 0, said_nothing_left = 0, was_left = 0;
  double few_good_cost = 0, random_cost = 0;  // in full runs
  std::size_t found() const {
    return static_cast<std::size_t>(
        std::count_if(quality.begin(), quality.end(), [](double q) { return q >= kGood; }));
  }
};

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// Full runs until random search, without repeats, has seen a point as good: the mean over all
// orders.
double random_search_cost(const SurfaceCase& c, double quality) {
  const auto points = static_cast<double>(c.problem.space.points().size());
  return (points + 1) / (static_cast<double>(c.points_above(quality)) + 1);
}

void add(Campaign& to, const SurfaceCase& c, const TuneResult& r) {
  const double quality = c.quality(r.chosen);
  to.quality.push_back(quality);
  to.cost.push_back(r.cost_runs / c.grid_cost());
  if (r.stop == Stop::nothing_left) {
    ++to.said_nothing_left;
    to.was_left += c.quality(r.fastest) < 1 / (1 + c.problem.worth);
  }
  if (static_cast<double>(c.points_above(kGood)) >= kFewGood * c.grid_cost()) return;
  ++to.few_good;
  to.few_good_cost += r.cost_runs;
  to.random_cost += random_search_cost(c, quality);
}

void print(const char* name, const Campaign& c) {
  std::printf(
      "  %-14s %4zu of %4zu at 0.97; quality least %.3f, 5 %% %.3f, "
      "median %.3f; cost median %.3f, most %.3f of the grid\n",
      name, c.found(), c.quality.size(), quantile(c.quality, 0), quantile(c.quality, 0.05),
      quantile(c.quality, 0.5), quantile(c.cost, 0.5), quantile(c.cost, 1));
}

Campaign campaign(std::uint64_t seed) {
  Campaign all;
  std::printf("%zu simulated tunes, seed %llu:\n", kPerFamily * kFamilyCount,
              static_cast<unsigned long long>(seed));
  for (std::size_t family = 0; family < kFamilyCount; ++family) {
    Campaign one;
    for (std::size_t i = 0; i < kPerFamily; ++i) {
      const SurfaceCase c = surface_of(family, mix_seed(seed, i));
      const TuneResult r = result_of(c.problem, simulated_tune(c, mix_seed(seed, i, 77)));
      add(one, c, r);
      add(all, c, r);
    }
    print(kFamilies[family], one);
  }
  print("all", all);
  std::printf("  few good points on %zu: %.0f full runs, random search for the same quality %.0f\n",
              all.few_good, all.few_good_cost, all.random_cost);
  std::printf("  %zu said that nothing was left; on %zu of them the best was 2 %% faster\n",
              all.said_nothing_left, all.was_left);
  return all;
}

TEST_CASE(
    "tune: 200 simulated surfaces, "
    "at least 0.97 of the grid's best on 95 % of them for a quarter of its cost",
    "[known_answer][tune]") {
  const Campaign c = campaign(kSeed);
  REQUIRE(c.quality.size() == 200);
  CHECK(c.found() >= 190);
  CHECK(quantile(c.cost, 1) <= 0.25);
  REQUIRE(c.few_good >= 20);
  CHECK(c.few_good_cost <= 0.5 * c.random_cost);
}

TEST_CASE("tune: surfaces of another seed are reported", "[known_answer][tune]") {
  const char* const seed = std::getenv("BENCHBENCH_TUNE_SEED");
  if (seed) campaign(std::strtoull(seed, nullptr, 10));
  SUCCEED();
}

// The campaign's own figures must be able to fail.
TEST_CASE("tune: the grids have 60 to 200 points, and bad points", "[known_answer][tune]") {
  for (std::size_t family = 0; family < kFamilyCount; ++family) {
    std::size_t good = 0, all = 0;
    for (std::size_t i = 0; i < kPerFamily; ++i) {
      const SurfaceCase c = surface_of(family, mix_seed(kSeed, i));
      CHECK(c.problem.space.points().size() >= 60);
      CHECK(c.problem.space.points().size() <= 200);
      CHECK(c.is_good(c.problem.present));
      good += c.points_above(kGood);
      all += c.problem.space.points().size();
    }
    CAPTURE(kFamilies[family]);
    CHECK(good > 0);
    if (family != 4) CHECK(good < all / 4);  // all but the flat ones
  }
}

}  // namespace campaign_test
}  // namespace benchbench::known_answer
