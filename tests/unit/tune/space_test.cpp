#include "harness/tune/space.h"

#include <catch2/catch.hpp>

#include "harness/tune/choice.h"
#include "tests/unit/tune/space_of.h"

namespace benchbench {
namespace tune_space_test {

using test::number_knob;
using test::small_space;

TEST_CASE("space: without workers, what needs them makes no points of its own", "[unit][tune]") {
  const Space space = small_space();
  CHECK(space.combinations() == 36);
  CHECK(space.points().size() == 5 * 3 * 2 + 2);
  CHECK(space.point_of({0, 2, 1}) == space.point_of({0, 0, 1}));
  CHECK(space.point_of({1, 2, 1}) != space.point_of({1, 0, 1}));
  CHECK(space.with(space.point_of({1, 2, 1}), 0, 0) == space.point_of({0, 0, 1}));
}

TEST_CASE("space: a point is read as its knobs' values", "[unit][tune]") {
  const Space space = small_space();
  const PointId p = space.point_of({3, 2, 1});
  CHECK(space.workers(p) == 4);
  CHECK(space.depth(p) == 8);
  CHECK(space.batch_size(p) == 1);
  CHECK(space.value(p, 2).text == "true");
}

TEST_CASE("space: a knob without a value and two knobs of workers are refused", "[unit][tune]") {
  CHECK_THROWS_AS(Space({number_knob("io_depth", KnobKind::count, {})}), std::invalid_argument);
  const Knob workers = number_knob("num_workers", KnobKind::workers, {1, 2});
  CHECK_THROWS_AS(Space({workers, workers}), std::invalid_argument);
}

TEST_CASE("space: cheaper is fewer workers, then fewer samples ahead, then the lower ranks",
          "[unit][tune]") {
  const Space space = small_space();
  CHECK(is_cheaper(space, space.point_of({2, 2, 1}), space.point_of({3, 0, 0})));
  CHECK(is_cheaper(space, space.point_of({2, 0, 1}), space.point_of({2, 1, 0})));
  CHECK(is_cheaper(space, space.point_of({2, 1, 0}), space.point_of({2, 1, 1})));
  CHECK_FALSE(is_cheaper(space, space.point_of({2, 1, 0}), space.point_of({2, 1, 0})));
}

}  // namespace tune_space_test
}  // namespace benchbench
