#include "harness/analysis/statistics/exact_tests.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "harness/core/random.h"

namespace benchbench {
namespace exact_tests_test {

std::vector<double> mean_ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double v : values) {
    double below = 0, alike = 0;
    for (const double w : values) below += w < v, alike += w == v;
    ranks.push_back(below + (alike + 1) / 2);
  }
  return ranks;
}

// By writing out all 2^n signs.
double signed_rank_by_hand(const std::vector<double>& differences) {
  std::vector<double> sizes, signs;
  for (const double d : differences)
    if (d != 0) sizes.push_back(std::abs(d)), signs.push_back(d > 0 ? 1 : -1);
  const auto ranks = mean_ranks(sizes);
  const auto sum = [&](auto sign) {
    double s = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) s += sign(i) * ranks[i];
    return s;
  };
  const double seen = std::abs(sum([&](std::size_t i) { return signs[i]; }));
  double beyond = 0;
  for (unsigned choice = 0; choice < 1u << ranks.size(); ++choice)
    beyond +=
        std::abs(sum([&](std::size_t i) { return choice >> i & 1 ? 1.0 : -1.0; })) >= seen - 1e-9;
  return beyond / std::ldexp(1.0, static_cast<int>(ranks.size()));
}

// By writing out all choices of a.size() of the pooled values.
double mann_whitney_by_hand(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> pooled = a;
  pooled.insert(pooled.end(), b.begin(), b.end());
  const auto ranks = mean_ranks(pooled);
  const double middle = static_cast<double>(a.size()) * static_cast<double>(pooled.size() + 1) / 2;
  double seen = 0;
  for (std::size_t i = 0; i < a.size(); ++i) seen += ranks[i];
  double beyond = 0, all = 0;
  for (unsigned choice = 0; choice < 1u << pooled.size(); ++choice) {
    if (static_cast<std::size_t>(__builtin_popcount(choice)) != a.size()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < pooled.size(); ++i) sum += choice >> i & 1 ? ranks[i] : 0;
    ++all;
    beyond += std::abs(sum - middle) >= std::abs(seen - middle) - 1e-9;
  }
  return beyond / all;
}

TEST_CASE("exact tests: published examples", "[unit][analysis]") {
  // Hollander and Wolfe: depression before and after, V = 40, one-sided 0.01953; permeability, W =
  // 35, one-sided 0.1272.
  const std::vector<double> before{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> after{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  std::vector<double> difference;
  for (std::size_t i = 0; i < before.size(); ++i) difference.push_back(before[i] - after[i]);
  CHECK(signed_rank_p(difference) == Approx(2 * 0.01953125));
  const std::vector<double> term{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const std::vector<double> weeks{1.15, 0.88, 0.90, 0.74, 1.21};
  CHECK(mann_whitney_p(term, weeks) == Approx(2 * 0.1272).epsilon(1e-3));
}

TEST_CASE("exact tests: the least p of so many values", "[unit][analysis]") {
  const std::vector<double> nine(9, 1.0);
  CHECK(signed_rank_p(nine) == Approx(2.0 / 512));
  std::vector<double> ten;
  for (int i = 1; i <= 10; ++i) ten.push_back(-i);
  CHECK(signed_rank_p(ten) == Approx(2.0 / 1024));
  const std::vector<double> low{1, 2, 3, 4, 5, 6, 7}, high{8, 9, 10, 11, 12, 13, 14};
  CHECK(mann_whitney_p(low, high) == Approx(2.0 / 3432));  // 0.00058
  CHECK(mann_whitney_p(low, high) == mann_whitney_p(high, low));
}

TEST_CASE("exact tests: zeros and ties are counted as by hand", "[unit][analysis]") {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    std::vector<double> d, a, b;
    for (int k = 0; k < 9; ++k) d.push_back(static_cast<double>(random.below(7)) - 2);
    for (int k = 0; k < 5; ++k) a.push_back(static_cast<double>(random.below(6)));
    for (int k = 0; k < 4 + i % 3; ++k) b.push_back(static_cast<double>(random.below(8)));
    CHECK(signed_rank_p(d) == Approx(signed_rank_by_hand(d)));
    CHECK(mann_whitney_p(a, b) == Approx(mann_whitney_by_hand(a, b)));
  }
  CHECK(signed_rank_p({}) == 1);
  CHECK(signed_rank_p(std::vector<double>{0, 0}) == 1);
  CHECK(mann_whitney_p({}, std::vector<double>{1}) == 1);
}

TEST_CASE("exact tests: where counting ends the normal curve goes on", "[unit][analysis]") {
  Random random(4);
  std::vector<double> d, a, b;
  for (int k = 0; k < 200; ++k) d.push_back(random.normal() + 0.15);
  for (int k = 0; k < 100; ++k) a.push_back(random.normal()), b.push_back(random.normal() + 0.3);
  const double counted = signed_rank_p(d), pooled = mann_whitney_p(a, b);
  d.push_back(1e-9);
  b.push_back(0.3);
  CHECK(signed_rank_p(d) == Approx(counted).epsilon(0.1));
  CHECK(mann_whitney_p(a, b) == Approx(pooled).epsilon(0.1));
}

TEST_CASE("exact tests: false discovery rates are Benjamini's and Hochberg's", "[unit][analysis]") {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.5};
  const auto q = false_discovery_rates(p);
  CHECK(q[0] == Approx(0.04));      // 0.01·4/1
  CHECK(q[1] == Approx(0.16 / 3));  // the least of 0.04·4/3 and 0.5
  CHECK(q[2] == Approx(0.16 / 3));  // 0.03·4/2 = 0.06 is more than the next one's
  CHECK(q[3] == Approx(0.5));
  CHECK(false_discovery_rates({}).empty());
}

}  // namespace exact_tests_test
}  // namespace benchbench
