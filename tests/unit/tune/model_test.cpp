#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "harness/core/random.h"
#include "harness/tune/levels.h"
#include "harness/tune/model/memory.h"
#include "harness/tune/model/surface.h"
#include "tests/unit/tune/space_of.h"

namespace benchbench {
namespace tune_model_test {

using test::observed;
using test::small_space;

TEST_CASE("levels: rounds that the machine made slower are taken out", "[unit][tune]") {
  Random random(3);
  std::vector<Observation> records;
  // Each round is 8 % slower than the one before; point 1 is in late rounds alone.
  for (std::uint32_t round = 0; round < 6; ++round) {
    const double drift = std::exp(-0.08 * round);
    records.push_back(observed(0, round, 100 * drift * std::exp(0.005 * random.normal())));
    if (round >= 3)
      records.push_back(observed(1, round, 110 * drift * std::exp(0.005 * random.normal())));
    records.push_back(observed(2, round, 90 * drift * std::exp(0.005 * random.normal())));
  }
  const Levels levels = levels_of(records, 0.02);
  REQUIRE(levels.points.size() == 3);
  CHECK(levels.find(1)->log_rate - levels.find(0)->log_rate == Approx(std::log(1.1)).margin(0.03));
  CHECK(levels.drift > 0.05);
  CHECK(levels.noise < 0.02);
  CHECK(levels.find(7) == nullptr);
}

TEST_CASE("levels: more trials make a smaller error, a short window a larger one", "[unit][tune]") {
  const std::vector<Observation> records = {
      observed(0, 0, 100), observed(1, 0, 100), observed(1, 1, 100),
      observed(2, 0, 50, TuneOutcome::stopped_early), observed(3, 0, 0, TuneOutcome::failed)};
  const Levels levels = levels_of(records, 0.02);
  REQUIRE(levels.points.size() == 3);
  CHECK(levels.find(1)->error < levels.find(0)->error);
  CHECK(levels.find(2)->error > levels.find(0)->error);
}

Levels exact_levels(const std::function<double(PointId)>& rate,
                    const std::vector<PointId>& points) {
  Levels levels{{}, 0.02, 0.01};
  for (const PointId p : points) levels.points.push_back({p, std::log(rate(p)), 0.01, 2});
  return levels;
}

TEST_CASE("scaling law: workers that saturate the trainer are seen to", "[unit][tune]") {
  const Space space = small_space();
  const auto rate = [&](PointId p) { return std::min(100.0 * space.workers(p), 380.0); };
  std::vector<PointId> points;
  for (std::uint32_t w = 1; w < 5; ++w) points.push_back(space.point_of({w, 0, 0}));
  const ScalingLaw law = fitted_law(space, exact_levels(rate, points));
  CHECK(law.log_rate(16, 2) == Approx(std::log(380)).margin(0.1));
  CHECK(law.log_rate(1, 2) == Approx(std::log(100)).margin(0.1));
}

TEST_CASE("scaling law: with exponential times a greater depth is worth more, and its worth ends",
          "[unit][tune]") {
  ScalingLaw law{0, 0, 4, 1, 0};
  CHECK(law.log_rate(4, 4) > law.log_rate(4, 1) + 0.05);
  CHECK(law.log_rate(4, 8) - law.log_rate(4, 4) < law.log_rate(4, 4) - law.log_rate(4, 1));
  law.variability = 0;
  CHECK(law.log_rate(4, 8) == law.log_rate(4, 1));
}

TEST_CASE("surface: what was measured is believed, and more surely than what was not",
          "[unit][tune]") {
  const Space space = small_space();
  const auto rate = [&](PointId p) {
    return (space.workers(p) == 8 ? 300.0 : 100.0) * (space.value(p, 2).number > 0 ? 1.05 : 1);
  };
  const std::vector<PointId> points = {space.point_of({1, 0, 0}), space.point_of({2, 0, 1}),
                                       space.point_of({3, 1, 0}), space.point_of({4, 1, 0}),
                                       space.point_of({5, 2, 1})};
  const Surface surface(space, exact_levels(rate, points), {});
  const std::vector<PointId> asked = {space.point_of({4, 1, 0}), space.point_of({4, 2, 1})};
  const Beliefs b = surface.about(asked);
  CHECK(b.learned.mean[0] == Approx(std::log(300)).margin(0.03));
  CHECK(b.learned.variance[0] < b.learned.variance[1]);
  CHECK(b.wary.variance[1] >= b.learned.variance[1]);
  CHECK(surface.learned().covariance(b.learned, 0, 0) == Approx(b.learned.variance[0]));
}

TEST_CASE("memory law: the parent, each worker, each sample ahead", "[unit][tune]") {
  const Space space = small_space();
  std::vector<Observation> records;
  for (const std::vector<std::uint32_t>& digits : {std::vector<std::uint32_t>{1, 0, 0},
                                                   {2, 1, 0},
                                                   {3, 2, 0},
                                                   {4, 0, 1},
                                                   {5, 1, 1},
                                                   {2, 2, 1}}) {
    records.push_back(test::observed(space.point_of(digits), 0, 100));
    const double w = space.workers(records.back().point);
    records.back().memory_bytes = 1e9 + 3e8 * w + 2e7 * w * space.depth(records.back().point);
  }
  const auto law = fitted_memory(space, records);
  REQUIRE(law);
  CHECK(law->at(space, space.point_of({5, 2, 0})) ==
        Approx(1e9 + 16 * 3e8 + 16 * 8 * 2e7).epsilon(0.001));
  CHECK(law->error < 1e7);
  records.pop_back();
  CHECK_FALSE(fitted_memory(space, records));
}

TEST_CASE("process: two points alike without errors are refused", "[unit][tune]") {
  const Space space = small_space();
  Kernel kernel(space);
  kernel.set({{1, 1, 1}, 1, 0.1, 0.5});
  CHECK_THROWS_AS(Process(kernel, {{1, 1}, {0, 0}, {0, 0}}), std::domain_error);
}

}  // namespace tune_model_test
}  // namespace benchbench
