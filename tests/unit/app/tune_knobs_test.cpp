// How a tune names its points.
#include "harness/app/tune/tune_knobs.h"

#include <catch2/catch.hpp>

namespace benchbench::tune_knobs_test {
namespace {

void add_point(Plan& plan, std::int64_t workers) {
  Point point;
  point.index = static_cast<std::uint32_t>(plan.points.size());
  point.labels = {{"loader.num_workers", std::to_string(workers)},
                  {"loader.prefetch_factor", "2"},
                  {"loader.in_order", "true"},
                  {"loader.batch_size", "8"}};
  point.settings.set("loader.num_workers", {ParameterType::integer, workers});
  plan.points.push_back(std::move(point));
}

}  // namespace

TEST_CASE("tune: without workers a point is not named by what needs them", "[unit][app]") {
  Plan plan;
  add_point(plan, 0);
  add_point(plan, 0);
  add_point(plan, 2);
  const Plan named = drop_labels_without_effect(plan);
  REQUIRE(named.points.size() == 3);
  CHECK(named.points[0].name() == "num_workers=0 batch_size=8 (base)");
  CHECK(named.points[1].name() == "num_workers=0 batch_size=8");
  CHECK(named.points[2].name() == "num_workers=2 prefetch_factor=2 in_order=true batch_size=8");
  CHECK(plan.points[1].labels.size() == 4);
}

TEST_CASE("tune: a loader that has no number of workers keeps its names", "[unit][app]") {
  Plan plan;
  add_point(plan, 0);
  add_point(plan, 0);
  plan.points[1].settings = {};
  CHECK(drop_labels_without_effect(plan).points[1].labels.size() == 4);
}

}  // namespace benchbench::tune_knobs_test
