#include "harness/core/random.h"

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <vector>

namespace benchbench::random_test {

struct Moments {
  double mean = 0;
  double variance = 0;
};
Moments moments_of(int n, const std::function<double()>& draw) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / n;
  return {mean, squares / n - mean * mean};
}

// Four standard errors of a mean of n draws: a fixed seed either passes or not, for good.
constexpr int kDraws = 200'000;
double allowed(double sigma) { return 4 * sigma / std::sqrt(kDraws); }

TEST_CASE("random: means and variances are those of the distributions", "[unit][core]") {
  Random random(1);
  const auto uniform = moments_of(kDraws, [&] { return random.uniform(); });
  CHECK(uniform.mean == Approx(0.5).margin(allowed(std::sqrt(1 / 12.))));
  CHECK(uniform.variance == Approx(1 / 12.).epsilon(0.02));
  const auto shifted = moments_of(kDraws, [&] { return random.uniform(-3, 5); });
  CHECK(shifted.mean == Approx(1).margin(allowed(8 * std::sqrt(1 / 12.))));
  const auto exponential = moments_of(kDraws, [&] { return random.exponential(2.5); });
  CHECK(exponential.mean == Approx(2.5).margin(allowed(2.5)));
  CHECK(exponential.variance == Approx(6.25).epsilon(0.03));
  const auto normal = moments_of(kDraws, [&] { return random.normal(); });
  CHECK(normal.mean == Approx(0).margin(allowed(1)));
  CHECK(normal.variance == Approx(1).epsilon(0.02));
}

TEST_CASE("random: below(n) reaches every value equally often and never n", "[unit][core]") {
  Random random(2);
  for (const std::uint64_t n : {1ull, 2ull, 3ull, 10ull}) {
    std::vector<double> seen(n);
    for (int i = 0; i < kDraws; ++i) {
      const std::uint64_t x = random.below(n);
      REQUIRE(x < n);
      ++seen[x];
    }
    for (const double count : seen)
      CHECK(count == Approx(kDraws / static_cast<double>(n))
                         .margin(4 * std::sqrt(kDraws / static_cast<double>(n)) + 1));
  }
  for (int i = 0; i < 1000; ++i) REQUIRE(random.below((1ull << 63) + 1) <= 1ull << 63);
}

TEST_CASE("random: the stream of a seed is the same on every machine", "[unit][core]") {
  // mix() is splitmix64's step: these are the first outputs of the generator seeded with 0, from
  // its authors' code.
  CHECK(mix(0) == 0xe220a8397b1dcdafull);
  CHECK(mix(0x9e3779b97f4a7c15ull) == 0x6e789e6aa1b965f4ull);
  Random a(42);
  Random b(42);
  for (int i = 0; i < 100; ++i) REQUIRE(a.next() == b.next());
}

TEST_CASE("random: seeds made of neighbouring numbers differ, and the order of the numbers counts",
          "[unit][core]") {
  std::set<std::uint64_t> seeds;
  for (int epoch = 0; epoch < 30; ++epoch)
    for (int sample = 0; sample < 1000; ++sample) seeds.insert(mix_seed(7, epoch, sample));
  CHECK(seeds.size() == 30'000);
  CHECK(mix_seed(7, 1, 2) != mix_seed(7, 2, 1));
  CHECK(mix_seed(7, 1) != mix_seed(8, 1));
}

}  // namespace benchbench::random_test
